/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions of an ELF file as text, at the addresses that the file gives them. */
#ifndef DWELL_EVENTS_MACHINE_CODE_H
#define DWELL_EVENTS_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MACHINE_CODE_TEXT 160 /* bytes of an instruction's text */

struct machine_code;

/* Says in one sentence why a file cannot be read, is no ELF file, or not one of this machine. */
int machine_code_open(const char *path, struct machine_code **m, struct err *err);
void machine_code_close(struct machine_code *m); /* NULL is fine */

/* Whether the file has this build-id, in hexadecimal digits. */
bool machine_code_has_build_id(const struct machine_code *m, const char *build_id);

/* When the file was changed, in unix seconds. */
int64_t machine_code_changed(const struct machine_code *m);

/*
 * The instruction at the address, as text. Returns its length in bytes, or 0 where the file has no
 * code there or it is none.
 */
size_t machine_code_at(struct machine_code *m, uint64_t address, char text[MACHINE_CODE_TEXT]);

/* Where an instruction goes on. */
enum machine_flow {
	FLOW_NEXT,	  /* behind it; calls, too */
	FLOW_CONDITIONAL, /* behind it, or at the target */
	FLOW_JUMP,	  /* at the target */
	FLOW_INDIRECT,	  /* somewhere */
	FLOW_END,	  /* nowhere in this function */
};

struct machine_step {
	size_t length; /* bytes */
	enum machine_flow flow;
	uint64_t target;
};

/* Returns false where machine_code_at returns 0. */
bool machine_code_step(struct machine_code *m, uint64_t address, struct machine_step *step);

#endif
