/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of signals. */
#ifndef DWELL_BASE_SIGNAL_NAME_H
#define DWELL_BASE_SIGNAL_NAME_H

#include <stdint.h>

#define SIGNAL_NAME_BYTES 32

/* "SIGSEGV"; "SIGRTMIN+3" for real-time signals, as in kill -l; else "signal 99". Returns buf. */
char *signal_name(int64_t number, char buf[SIGNAL_NAME_BYTES]);

#endif
