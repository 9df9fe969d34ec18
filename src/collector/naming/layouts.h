/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types of a run's data: each is written to the store once. */
#ifndef DWELL_COLLECTOR_NAMING_LAYOUTS_H
#define DWELL_COLLECTOR_NAMING_LAYOUTS_H

#include "base/map.h"
#include "store/store.h"
#include "symbols/symbols.h"

/* Empty when all zero. */
struct layouts {
	struct map ids; /* hash of the content -> id in the store */
	int64_t last_id;
};

void layouts_release(struct layouts *l);

/* Set *id to the layout's id in the store, which gets it if it is new; 0 for NULL. */
int layouts_put(struct layouts *l, const struct symbols_layout *x, struct store *store, int64_t *id,
		struct err *err);

#endif
