/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions of an ELF file as text, at the addresses of the file. */
#ifndef DWELL_EVENTS_MACHINE_CODE_H
#define DWELL_EVENTS_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MACHINE_CODE_TEXT 160 /* bytes of an instruction's text */

struct machine_code;

/*
 * Returns 0, or -1 with a sentence: the file cannot be read, is not ELF, or is for another machine.
 */
int machine_code_open(const char *path, struct machine_code **m, struct err *err);
void machine_code_close(struct machine_code *m); /* NULL is allowed */

/* Tell whether the file has this build-id, in hexadecimal digits. */
bool machine_code_has_build_id(const struct machine_code *m, const char *build_id);

/* The file's modification time, in unix seconds. */
int64_t machine_code_changed(const struct machine_code *m);

/*
 * The instruction at the address, as text. Returns its length in bytes; 0 if the file has no code
 * there, or no valid instruction.
 */
size_t machine_code_at(struct machine_code *m, uint64_t address, char text[MACHINE_CODE_TEXT]);

/* The successor of an instruction. */
enum machine_flow {
	FLOW_NEXT,	  /* the next instruction; also for calls */
	FLOW_CONDITIONAL, /* the next instruction, or the target */
	FLOW_JUMP,	  /* the target */
	FLOW_INDIRECT,	  /* unknown */
	FLOW_END,	  /* none in this function */
};

struct machine_step {
	size_t length; /* bytes */
	enum machine_flow flow;
	uint64_t target;
};

/* Returns false if machine_code_at would return 0. */
bool machine_code_step(struct machine_code *m, uint64_t address, struct machine_step *step);

#endif
