/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports the forms that were not compared, with the reasons. */
#include "difftest/report.h"

#include <inttypes.h>

/* Not instructions, and so in no form at all. */
static const char *const other_gaps[] = {
	"the opcode and address of the last x87 instruction, unless --x87-address is given",
	"with --no-fault-flags, the status flags that a faulting instruction leaves",
	"with --no-gs-signal, whether a bad %gs: address raises SIGSEGV or SIGBUS",
	"TF, AC and NT set by popf; RF in the flags that a signal handler sees",
	"results of unstable instructions (rdtsc, rdrand, cpuid, xbegin...): only that they run",
	"stale CR2, si_addr's and error code's meaning outside page faults",
	"PKRU and protection keys; shadow stacks; AMX tiles; writes of %fs and %gs bases",
	"more than two legacy prefixes in front of an instruction; repeated prefixes",
};

struct tally {
	const char *reason;
	uint32_t forms;
	uint32_t compared;
};

/* The forms of a mnemonic stand together: they are sorted by key, and it is the key's begin. */
static uint32_t tally_mnemonic(const struct campaign *c, uint32_t first, struct tally *t)
{
	static const char *const reasons[] = {
		[FORM_NOT_RUN] = "was not asked for",
		[FORM_RAN] = 0,
		[FORM_NOT_ON_CPU] = "not on this CPU",
		[FORM_DIED] = "the process died in it",
	};
	uint32_t i = first;

	*t = (struct tally){0};
	for (;
	     i < c->table->count && c->table->forms[i].mnemonic == c->table->forms[first].mnemonic;
	     i++) {
		const struct form *f = &c->table->forms[i];
		const char *reason = f->excluded ? f->excluded : reasons[c->states[i]];

		if (!reason) {
			t->compared++;
			continue;
		}
		t->reason = reason;
		t->forms++;
	}
	return i;
}

void report_not_covered(FILE *to, const struct campaign *c)
{
	uint8_t seen[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {0};
	uint32_t i = 0, never = 0;

	while (i < c->table->count) {
		struct tally t;
		ZydisMnemonic m = c->table->forms[i].mnemonic;

		i = tally_mnemonic(c, i, &t);
		seen[m] = 1;
		if (t.forms)
			fprintf(to,
				"# not covered: %s: %s (%" PRIu32 " forms, %" PRIu32
				" others compared)\n",
				ZydisMnemonicGetString(m), t.reason, t.forms, t.compared);
	}
	fprintf(to, "# not covered: no 64-bit encoding found:");
	for (ZydisMnemonic m = 1; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++)
		if (!seen[m]) {
			fprintf(to, " %s", ZydisMnemonicGetString(m));
			never++;
		}
	fprintf(to, " (%" PRIu32 ")\n", never);
	for (size_t n = 0; n < sizeof(other_gaps) / sizeof(other_gaps[0]); n++)
		fprintf(to, "# not covered: %s\n", other_gaps[n]);
}

void report_forms(FILE *to, const struct campaign *c)
{
	for (uint32_t i = 0; i < c->table->count; i++) {
		const struct form *f = &c->table->forms[i];

		if (!f->excluded && campaign_selects(c, f))
			fprintf(to, "%s %" PRIu32 "\n", f->key, f->count);
	}
}
