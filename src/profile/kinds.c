/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of profile; see kinds.h. */
#include "profile/kinds.h"

#include <stdlib.h>

#include "store/curves.h"
#include "store/events.h"
#include "store/store_read.h"
#include "store/whose.h"

static bool has_events(struct store *s)
{
	struct store_event *events = NULL;
	size_t count = 0;
	bool has = store_read_events(s, &events, &count, NULL) == 0 && count > 0;

	free(events);
	return has;
}

unsigned profile_kinds(struct store *s)
{
	unsigned kinds = store_has_curves(s) ? KIND_CURVES : 0;

	if (store_has_bins(s))
		kinds |= KIND_BINS;
	else if (has_events(s))
		kinds |= KIND_EVENTS;
	if (kinds != 0)
		return kinds;
	return store_is_counted(s) ? KIND_COUNTS : KIND_SAMPLES;
}

int profile_refuse(const char *path, unsigned kinds, unsigned takes, struct err *err)
{
	static const struct {
		unsigned takes, kinds;
		const char *why;
	} reasons[] = {
		{KIND_SAMPLES, KIND_CURVES,
		 "has exact curves and no samples: 'dwell curve' shows it, and 'dwell report' or "
		 "'dwell objects' what --by summed"},
		{KIND_SAMPLES, KIND_BINS,
		 "has counted misses and no samples: 'dwell bins', 'dwell causes' and 'dwell "
		 "objects' show whose data misses, and why, 'dwell calls' who calls"},
		{KIND_SAMPLES, KINDS_COUNTED,
		 "has counts of events and no samples: 'dwell report', 'dwell calls' and 'dwell "
		 "annotate' show it, 'dwell processes' its processes"},
		{KIND_EVENTS, KIND_SAMPLES,
		 "has samples and no calls: 'dwell paths' shows its callers"},
		{KIND_EVENTS, KIND_CURVES,
		 "has exact curves and no calls: 'dwell simulate' makes profiles with them"},
		{KIND_EVENTS, KIND_COUNTS,
		 "has counts and no calls: 'dwell simulate' makes profiles with them"},
		{KIND_BINS, ~0u,
		 "has no misses by data structure: 'dwell simulate --data' counts them"},
	};
	const char *why = "is of another kind";

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if ((reasons[i].takes & takes) != 0 && (reasons[i].kinds & kinds) != 0) {
			why = reasons[i].why;
			break;
		}
	return err_set(err, "profile '%s' %s", path, why);
}
