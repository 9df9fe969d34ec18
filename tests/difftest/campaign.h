/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two halves of a test run: single instructions, and sequences of them. */
#ifndef DIFFTEST_CAMPAIGN_H
#define DIFFTEST_CAMPAIGN_H

#include "difftest/forms.h"
#include "difftest/inputs.h"
#include "difftest/place.h"
#include "difftest/run.h"

/* What became of a form; the array of these is shared with forked children. */
enum form_state {
	FORM_NOT_RUN = 0,
	FORM_RAN,	 /* at least once without SIGILL */
	FORM_NOT_ON_CPU, /* SIGILL at its first byte, always */
	FORM_DIED,	 /* took the process with it */
};

struct campaign {
	struct form_table *table;
	struct place place;
	uint64_t seed;
	uint32_t runs;		 /* inputs for each encoding */
	uint32_t sequence_first; /* number of the first sequence ... */
	uint32_t sequence_end;	 /* ... and past the last one */
	uint32_t sequence_runs;
	const char *only;	   /* mnemonic or whole key, or 0 */
	int verbose;		   /* print every run */
	int quiet;		   /* print nothing: only fill `states` */
	int registers;		   /* check decode_registers, and print only what is wrong */
	uint64_t breaches;	   /* of it */
	int forked;		   /* run each chunk in a child, and outlive it */
	uint8_t *states;	   /* enum form_state of each form, shared memory */
	struct progress *progress; /* shared memory */
	uint64_t next_chunk;	   /* address of the next chunk of code */
};

/* How far a child came. */
struct progress {
	uint32_t item; /* form or sequence it works at */
	uint32_t lines;
};

/* Run every form that is selected. Returns 0, or -1 with errno. */
int campaign_forms(struct campaign *c);

/* Run the sequences; needs `states` of all forms. Returns 0, or -1 with errno. */
int campaign_sequences(struct campaign *c);

/* Is this form asked for? */
int campaign_selects(const struct campaign *c, const struct form *f);

/*
 * Do work(c, item, end) over [first, end), in children if asked for, which may
 * take part of it and return the first item left undone. An item whose child
 * dies is told to `died`. Returns 0, or -1 with errno.
 */
struct campaign_work {
	int64_t (*work)(struct campaign *c, uint32_t first, uint32_t end);
	void (*died)(struct campaign *c, uint32_t item, int status);
};

int campaign_drive(struct campaign *c, const struct campaign_work *w, uint32_t first, uint32_t end);

/* Print one instruction as text, for --verbose. */
void campaign_disassemble(const uint8_t *bytes, uint32_t length, uint64_t address);

#endif
