/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether sampling is on; see control.h. */
#include "engine/drive/control.h"

#include "channel/channel.h"
#include "engine/core/records.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

static struct {
	bool wanted; /* only the clock may keep sampling off */
	bool has_begun;
	bool ended;	   /* for good */
	uint64_t since_ns; /* when it began, or was to begin */
} c;

void control_start(void)
{
	const struct channel_config *f = &engine.config;

	c.ended = c.has_begun = false;
	c.wanted = !f->start_off && !f->start_at[0];
	c.since_ns = f->run_start_ns + f->delay_ns;
	control_allows(now_ns());
}

void control_end(void)
{
	c.ended = true;
}

bool control_allows(uint64_t now)
{
	const struct channel_config *f = &engine.config;

	if (c.ended || !c.wanted || now < f->run_start_ns + f->delay_ns)
		return false;
	c.has_begun = true;
	if (f->duration_ns && now >= c.since_ns + f->duration_ns)
		c.ended = true;
	return !c.ended;
}

static void want(uint64_t now)
{
	c.wanted = true;
	if (!c.has_begun && now > c.since_ns)
		c.since_ns = now;
}

void control_event(enum control_event what, uint64_t now)
{
	const bool is_early = now < engine.config.run_start_ns + engine.config.delay_ns;

	switch (what) {
	case CONTROL_START_AT:
		if (is_early)
			return;
		want(now);
		records_mark(CHANNEL_START_ENTERED);
		break;
	case CONTROL_MARK_START:
		want(now);
		records_mark(CHANNEL_MARK_SEEN);
		break;
	case CONTROL_STOP_AT:
		if (!control_allows(now))
			return;
		c.ended = true;
		records_mark(CHANNEL_STOP_ENTERED);
		break;
	case CONTROL_MARK_STOP:
		c.wanted = false;
		break;
	}
}

bool control_awaits(enum control_event what)
{
	if (c.ended)
		return false;
	if (what == CONTROL_START_AT)
		return engine.config.start_at[0] && !c.has_begun;
	return engine.config.stop_at[0];
}
