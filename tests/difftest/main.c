/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * difftest runs every instruction form that the decoder knows and this CPU has, from random states,
 * and prints a digest of the results. The outputs of a native run and of one under the engine must
 * be equal; compare.sh checks that.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "difftest/campaign.h"
#include "difftest/enumerate.h"
#include "difftest/inputs.h"
#include "difftest/probe.h"
#include "difftest/report.h"

enum {
	KEY_FORM = 256,
	KEY_SEED,
	KEY_QUICK,
	KEY_FAR,
	KEY_FORK,
	KEY_X87,
	KEY_FAULT_FLAGS,
	KEY_GS_SIGNAL,
	KEY_LIST,
	KEY_GAPS,
	KEY_PROBE,
	KEY_REGISTERS,
	KEY_STACK
};

static const struct argp_option options[] = {
	{"list", KEY_LIST, 0, 0, "Print the forms and stop", 0},
	{"not-covered", KEY_GAPS, 0, 0, "Also print what was not compared, and why", 0},
	{"form", KEY_FORM, "NAME", 0, "Only this mnemonic, form key, or seq-NUMBER", 0},
	{"seed", KEY_SEED, "NUMBER", 0, "Seed of all random choices (1)", 0},
	{"quick", KEY_QUICK, 0, 0, "Fewer encodings, inputs and sequences", 0},
	{"far", KEY_FAR, 0, 0, "Code and data above 4 GB", 0},
	{"fork", KEY_FORK, 0, 0, "Run in children, and go on after one that dies", 0},
	{"x87-address", KEY_X87, 0, 0, "Compare the address of the last x87 instruction", 0},
	{"no-fault-flags", KEY_FAULT_FLAGS, 0, 0, "Do not compare status flags at a fault", 0},
	{"no-gs-signal", KEY_GS_SIGNAL, 0, 0,
	 "Do not compare which of SIGSEGV and SIGBUS a bad %gs: address raises", 0},
	{"probe-stack", KEY_PROBE, 0, 0,
	 "Only tell, by status 0 or 1, whether the machine bears a stack pointer that is no "
	 "address",
	 0},
	{"stack-stays", KEY_STACK, 0, 0, "As input the stack pointer always is an address", 0},
	{"registers", KEY_REGISTERS, 0, 0,
	 "Instead check which registers decode_registers says are read and written", 0},
	{"verbose", 'v', 0, 0, "Print each run with its registers", 0},
	{0},
};

struct settings {
	uint64_t seed;
	const char *only;
	struct run_rules rules;
	int quick, far, fork, list, gaps, verbose, probe, registers;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct settings *s = state->input;
	char *end = 0;

	switch (key) {
	case KEY_FORM:
		s->only = arg;
		return 0;
	case KEY_SEED:
		s->seed = strtoull(arg, &end, 0);
		if (!*arg || *end)
			argp_error(state, "not a number: %s", arg);
		return 0;
	case KEY_QUICK:
		s->quick = 1;
		return 0;
	case KEY_FAR:
		s->far = 1;
		return 0;
	case KEY_FORK:
		s->fork = 1;
		return 0;
	case KEY_X87:
		s->rules.x87_address = 1;
		return 0;
	case KEY_FAULT_FLAGS:
		s->rules.no_fault_flags = 1;
		return 0;
	case KEY_GS_SIGNAL:
		s->rules.no_gs_signal = 1;
		return 0;
	case KEY_LIST:
		s->list = 1;
		return 0;
	case KEY_PROBE:
		s->probe = 1;
		return 0;
	case KEY_REGISTERS:
		s->registers = 1;
		return 0;
	case KEY_STACK:
		inputs_keep_stack();
		return 0;
	case KEY_GAPS:
		s->gaps = 1;
		return 0;
	case 'v':
		s->verbose = 1;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int fail(const char *what)
{
	fprintf(stderr, "difftest: %s: %s\n", what, strerror(errno));
	return -1;
}

static int prepare(struct campaign *c, const struct settings *s)
{
	size_t shared = c->table->count + sizeof(struct progress);

	if (place_init(&c->place, s->far))
		return fail("cannot map the scratch area at its fixed address");
	if (state_init())
		return fail("this CPU or kernel has no XSAVE that fits");
	if (inputs_init(s->seed))
		return fail("cannot make the inputs");
	if (run_init(&c->place, &s->rules) || (s->verbose && run_keep_changes()))
		return fail("cannot install the signal handlers");
	c->next_chunk = c->place.code;
	c->progress = mmap(0, shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->progress == MAP_FAILED)
		return fail("cannot map the shared page");
	c->states = (uint8_t *)(c->progress + 1);
	return 0;
}

/* "seq-00017" selects that sequence; then all forms run once, unseen, to know which exist. */
static int selects_sequence(struct campaign *c)
{
	char *end = 0;
	unsigned long number = 0;

	if (!c->only || strncmp(c->only, "seq-", 4) != 0)
		return 0;
	number = strtoul(c->only + 4, &end, 10);
	if (c->only[4] && !*end) {
		c->sequence_first = (uint32_t)number;
		c->sequence_end = c->sequence_first + 1;
	}
	c->only = 0;
	return 1;
}

static int run_all(struct campaign *c)
{
	int forms_only = c->only != 0;

	if (selects_sequence(c)) {
		uint32_t runs = c->runs;
		int verbose = c->verbose;

		c->runs = 1;
		c->verbose = 0;
		c->quiet = 1;
		if (campaign_forms(c))
			return fail("cannot run the forms");
		c->runs = runs;
		c->verbose = verbose;
		c->quiet = 0;
		forms_only = 0;
	} else if (campaign_forms(c)) {
		return fail("cannot run the forms");
	}
	if (!forms_only && !c->registers && campaign_sequences(c))
		return fail("cannot run the sequences");
	return 0;
}

static void print_totals(const struct campaign *c)
{
	uint32_t by_state[4] = {0}, excluded = 0, encodings = 0;

	for (uint32_t i = 0; i < c->table->count; i++) {
		excluded += c->table->forms[i].excluded != 0;
		by_state[c->states[i] & 3]++;
		if (c->states[i] == FORM_RAN)
			encodings += c->table->forms[i].count;
	}
	printf("# %" PRIu32 " forms compared in %" PRIu32 " encodings; %" PRIu32
	       " not on this CPU, %" PRIu32 " excluded, %" PRIu32 " died\n",
	       by_state[FORM_RAN], encodings, by_state[FORM_NOT_ON_CPU], excluded,
	       by_state[FORM_DIED]);
}

static int difftest(const struct settings *s)
{
	struct form_table table;
	struct campaign c = {.table = &table,
			     .seed = s->seed,
			     .runs = s->quick ? 4 : 16,
			     .sequence_end = s->quick ? 4000 : 20000,
			     .sequence_runs = s->quick ? 2 : 4,
			     .only = s->only,
			     .verbose = s->verbose,
			     .registers = s->registers,
			     .forked = s->fork};
	int result = 0;

	forms_init(&table, s->quick ? (struct form_quota){4, 1} : (struct form_quota){8, 2});
	if (enumerate_forms(&table, s->seed))
		return fail("cannot list the forms");
	forms_sort(&table);
	if (s->list) {
		report_forms(stdout, &c);
		goto out;
	}
	if (prepare(&c, s) || run_all(&c)) {
		result = -1;
		goto out;
	}
	print_totals(&c);
	if (c.registers) {
		printf("# %" PRIu64 " breaches\n", c.breaches);
		result = c.breaches > 0;
	}
	if (s->gaps)
		report_not_covered(stdout, &c);
out:
	forms_release(&table);
	inputs_release();
	return result;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.doc = "Run instruction forms from random states; print a digest for each.",
	};
	struct settings s = {.seed = 1};

	if (argp_parse(&argp, argc, argv, 0, 0, &s))
		return 2;
	if (s.probe)
		return probe_any_stack() ? 0 : 1;
	return difftest(&s) ? 1 : 0;
}
