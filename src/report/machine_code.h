/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions of an ELF file as text, at the addresses that the file gives them. */
#ifndef DWELL_REPORT_MACHINE_CODE_H
#define DWELL_REPORT_MACHINE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MACHINE_CODE_TEXT 160 /* bytes of an instruction's text */

struct machine_code;

/* Says in one sentence why a file cannot be read, is no ELF file, or not one of this machine. */
int machine_code_open(const char *path, struct machine_code **m, struct err *err);
void machine_code_close(struct machine_code *m); /* NULL is fine */

/*
 * The instruction at the address, as text. Returns its length in bytes, or 0 where the file has no
 * code there or it is none.
 */
size_t machine_code_at(struct machine_code *m, uint64_t address, char text[MACHINE_CODE_TEXT]);

#endif
