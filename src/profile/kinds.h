/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of profile, by what they hold, and why a view cannot show one. */
#ifndef DWELL_PROFILE_KINDS_H
#define DWELL_PROFILE_KINDS_H

#include "base/err.h"
#include "store/store.h"

enum profile_kind {
	KIND_SAMPLES = 1, /* of dwell record */
	KIND_COUNTS = 2,  /* the same without samples: --mode count */
	KIND_EVENTS = 4,  /* of dwell simulate, import */
	KIND_BINS = 8,	  /* the same with misses by data structure */
	KIND_CURVES = 16, /* of dwell simulate --curve */
};

#define KINDS_RECORDED (KIND_SAMPLES | KIND_COUNTS)
#define KINDS_COUNTED  (KIND_EVENTS | KIND_BINS)

/* Those of a profile: one; or exact curves and another one, as of dwell simulate --curve --by. */
unsigned profile_kinds(struct store *s);

/*
 * Set *err to a sentence why a view of profiles of kinds `takes` cannot show this one, of others:
 * what it has instead, and what does show it. Returns -1.
 */
int profile_refuse(const char *path, unsigned kinds, unsigned takes, struct err *err);

#endif
