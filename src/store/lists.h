/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tables with lists hold: where the numbers of a sample and of a location stand. */
#ifndef DWELL_STORE_LISTS_H
#define DWELL_STORE_LISTS_H

#include "store/private.h"

/* The numbers of a sample, in the order of the view; without a reuse only those before the end. */
enum {
	SAMPLE_STATUS,
	SAMPLE_POSITION,
	SAMPLE_DISTANCE,
	SAMPLE_LINE,
	SAMPLE_BEGIN,
	SAMPLE_END = SAMPLE_BEGIN + 5,
	SAMPLE_NUMBERS = SAMPLE_END + 5,
};

/* Those of a location; without a module only the first. */
enum {
	LOCATION_PROCESS,
	LOCATION_PC,
	LOCATION_MODULE,
	LOCATION_ADDRESS,
	LOCATION_NUMBERS,
};

/* Write the lists gathered so far. */
int lists_flush(struct store *s, struct err *err);

#endif
