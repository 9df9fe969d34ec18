/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of signals; see signal_name.h. They are fixed to x86-64 Linux, as profiles may be read
 * on other systems.
 */
#include "base/signal_name.h"

#include <inttypes.h>
#include <stdio.h>

#define FIRST_REALTIME 34 /* libc reserves the two before */
#define LAST_REALTIME  64

char *signal_name(int64_t number, char buf[SIGNAL_NAME_BYTES])
{
	static const char *const names[] = {
		NULL,	  "HUP",  "INT",    "QUIT", "ILL",   "TRAP", "ABRT", "BUS",
		"FPE",	  "KILL", "USR1",   "SEGV", "USR2",  "PIPE", "ALRM", "TERM",
		"STKFLT", "CHLD", "CONT",   "STOP", "TSTP",  "TTIN", "TTOU", "URG",
		"XCPU",	  "XFSZ", "VTALRM", "PROF", "WINCH", "IO",   "PWR",  "SYS",
	};

	if (number > 0 && number < (int64_t)(sizeof(names) / sizeof(names[0])))
		snprintf(buf, SIGNAL_NAME_BYTES, "SIG%s", names[number]);
	else if (number == FIRST_REALTIME)
		snprintf(buf, SIGNAL_NAME_BYTES, "SIGRTMIN");
	else if (number > FIRST_REALTIME && number <= LAST_REALTIME)
		snprintf(buf, SIGNAL_NAME_BYTES, "SIGRTMIN+%d", (int)number - FIRST_REALTIME);
	else
		snprintf(buf, SIGNAL_NAME_BYTES, "signal %" PRId64, number);
	return buf;
}
