/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A listing of machine code: instructions with events, and the code between them. */
#ifndef DWELL_EVENTS_EVENT_CODE_H
#define DWELL_EVENTS_EVENT_CODE_H

#include "events/event_annotate.h"
#include "events/machine_code.h"

struct jump_arrow {
	size_t from, to; /* rows */
	unsigned lane;	 /* 0: nearest to the listing; see views/listing/jump_arrows.h */
};

struct event_instruction {
	uint64_t address;
	size_t first, end;	      /* range of lines; empty if it has no events */
	uint64_t executed, taken;     /* of a conditional jump; 0: not a jump, or not counted */
	bool is_gap;		      /* stands for omitted code */
	char text[MACHINE_CODE_TEXT]; /* "": unknown */
};

/* The code of one object file: lines [first, end) of the annotation. */
struct event_listing {
	const struct event_annotation *a;
	size_t first, end;
	struct event_instruction *items;
	size_t count, room;
	struct jump_arrow *arrows;
	size_t arrow_count, arrow_room;
};

/*
 * Make the listing that begins with line `first`. If the file cannot be read, instructions have no
 * text, and `notes` (or NULL) gets a sentence. Release with event_listing_release.
 */
int event_listing_init(struct event_listing *l, const struct event_annotation *a, size_t first,
		       const struct store_jump *jumps, size_t jump_count, struct text *notes,
		       struct err *err);
void event_listing_release(struct event_listing *l);

#endif
