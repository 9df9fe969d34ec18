/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs prepared snippets, including their faults, and digests the results. */
#ifndef DIFFTEST_RUN_H
#define DIFFTEST_RUN_H

#include <stdint.h>
#include <stdio.h>

#include "difftest/place.h"

/* A signal that the snippet raised; all zero if none. */
struct fault {
	uint64_t signal;
	uint64_t code;
	uint64_t address; /* si_addr */
	uint64_t rip;
	uint64_t flags;
	uint64_t error; /* of the page fault, as the kernel gives it */
	uint64_t trap;
	uint64_t gpr[16];
};

/* One digest for each part, so that a difference says where it is. */
struct outcome {
	uint64_t registers;
	uint64_t flags;
	uint64_t x87;
	uint64_t mxcsr;
	uint64_t vectors;
	uint64_t masks;
	uint64_t memory;
	uint64_t fault;
};

/* What is digested of the things that a translator may be unable to keep. */
struct run_rules {
	int x87_address;    /* 1: the opcode and address of the last x87 instruction too */
	int no_fault_flags; /* 1: not the status flags at a fault, in the handler and after it */
	/* 1: not if a bad %gs: address raised SIGSEGV or, as for a stack, SIGBUS */
	int no_gs_signal;
};

/* Install the handlers on their own stack. Returns 0, or -1 with errno. */
int run_init(const struct place *place, const struct run_rules *rules);

/* Run what difftest_in holds. */
void run_snippet(struct outcome *out);

/* Remember the scratch area before each run, for run_print. Returns 0, or -1 with errno. */
int run_keep_changes(void);

/* The signal of the last run. */
const struct fault *run_fault(void);

/* All parts in one number. */
uint64_t run_digest(const struct outcome *o);

/* Print the outcome of the last run, with registers, indented. */
void run_print(FILE *to, const struct outcome *o);

#endif
