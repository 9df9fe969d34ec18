/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults of fetching an instruction; see fetch_fault.h. */
#include "engine/run/fetch_fault.h"

#include <signal.h>

#include "engine/codecache/pages.h"
#include "engine/core/lock.h"
#include "engine/core/util.h"
#include "engine/run/signals.h"

static bool is_code_of_file(uint64_t pc)
{
	const struct mapping *m;
	bool is;

	lock_take(&engine.translate_lock);
	m = mappings_find(pc);
	is = m && m->file && (m->prot & 4);
	lock_drop(&engine.translate_lock);
	return is;
}

void fetch_fault_raise(struct thread *t, enum translate_result r)
{
	static const struct {
		int signal, code;
	} as[] = {
		[TRANSLATE_UNMAPPED] = {SIGSEGV, SEGV_MAPERR},
		[TRANSLATE_NO_EXEC] = {SIGSEGV, SEGV_ACCERR},
		[TRANSLATE_INVALID] = {SIGILL, ILL_ILLOPN},
		[TRANSLATE_TOO_LONG] = {SIGSEGV, SI_KERNEL},
	};
	const bool canonical = (uint64_t)((int64_t)(t->rip << 16) >> 16) == t->rip;

	/* A mapped page beyond the end of its file: SIGBUS. */
	if (r == TRANSLATE_UNMAPPED && is_code_of_file(t->rip))
		signals_raise_fault(t, SIGBUS, BUS_ADRERR, t->rip);
	else if (!canonical)
		signals_raise_fault(t, SIGSEGV, SI_KERNEL, t->rip);
	else
		signals_raise_fault(t, as[r].signal, as[r].code, t->rip);
}
