/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The features of this machine, tested before anything is compared. */
#ifndef DIFFTEST_PROBE_H
#define DIFFTEST_PROBE_H

/*
 * Can the kernel go back to a program whose stack pointer is no address? Some hypervisors cannot:
 * they raise a signal instead, and may at any interrupt. To be asked natively; uses SIGILL, SIGSEGV
 * and SIGBUS.
 */
int probe_any_stack(void);

#endif
