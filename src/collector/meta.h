/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts known when a run begins, for the profile's table meta. */
#ifndef DWELL_COLLECTOR_META_H
#define DWELL_COLLECTOR_META_H

#include "collector/collector.h"
#include "store/store.h"

/* Write the options of the run and its machine. Returns 0, or -1 with *err set. */
int meta_put_start(struct store *s, const struct collector_options *o, struct err *err);

#endif
