/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A window behind a gap, divided among threads; see shares.h. */
#include "engine/sample/shares.h"

#include "channel/channel.h"
#include "engine/core/lock.h"
#include "engine/core/random.h"
#include "engine/core/util.h"

/* Accesses. In a smaller share most watches would be cut short: it stays owed. */
#define LEAST (2 * CHANNEL_FAR)
/* Windows: a larger share would be many windows long. The rest is owed. */
#define MOST 2

static uint64_t scaled(uint64_t n, uint64_t by, uint64_t of)
{
	return of ? (uint64_t)((unsigned __int128)n * by / of) : 0;
}

/* What the window takes of accesses that are owed; 0: too little. */
static uint64_t share_of(const struct shares *s, int64_t owed)
{
	uint64_t share = owed > 0 ? scaled((uint64_t)owed, s->window, s->period) : 0;

	return share < LEAST ? 0 : share < MOST * s->window ? share : MOST * s->window;
}

static int64_t owed_by(const struct thread *t)
{
	return (int64_t)(t->published.accesses - t->settled);
}

/* Since its last share, or since it began. */
static int64_t made_by(const struct thread *t)
{
	return (int64_t)(t->published.accesses - t->share_at);
}

/*
 * From now on t owes what it makes. The random number makes threads of a kind have their first
 * shares in different windows.
 */
static void begin(struct shares *s, struct thread *t)
{
	uint64_t least = scaled(LEAST, s->period, s->window);

	t->settled = t->share_at = t->published.accesses;
	t->ahead = least ? (int64_t)(random_next(&s->rng) % least) : 0;
	t->has_come = true;
	t->has_had = false;
}

/*
 * The first share is of twice what t has made. What it owes at its end is as much on average, as
 * windows lie at random, and no window will speak for that.
 */
static void count_first(struct thread *t)
{
	t->settled -= (uint64_t)made_by(t);
	t->has_had = made_by(t) > 0;
	t->ahead = 0;
}

/* The window waits for t, unless it had a share of the last one and did not come. */
static void give_share(struct shares *s, struct thread *t)
{
	const int64_t more = t->is_new && s->left_over > 0 ? s->left_over : 0;

	t->share = share_of(s, owed_by(t) + t->ahead + more);
	t->unsampled = t->share == 0;
	t->is_awaited = t->has_come;
	t->has_come = t->share == 0;
	if (!t->share)
		return;
	s->left_over -= more;
	t->settled -= (uint64_t)more;
	if (!t->has_had)
		count_first(t);
	t->share_at = t->published.accesses;
	t->share = share_of(s, owed_by(t));
	if (!t->share) /* taken in advance */
		t->share = LEAST;
}

void shares_thread_start(struct shares *s, struct thread *t)
{
	t->share = 0;
	begin(s, t);
	t->is_new = s->has_new = true;
	t->unsampled = false;
	if (s->wanted)
		give_share(s, t);
}

void shares_thread_end(struct shares *s, struct thread *t)
{
	s->left_over += owed_by(t) - (t->has_had ? made_by(t) : 0);
	/* what is left of a new one's share is for the next that begins */
	if (s->wanted && t->is_awaited && !t->is_new)
		s->wanted -= t->share < s->wanted ? t->share : s->wanted - 1;
	t->share = 0;
}

/* No thread has begun to which what others left over could go: all that owe something get it. */
static void spread_left_over(struct shares *s, const struct process *p)
{
	uint64_t all = 0, left_over = s->left_over > 0 ? (uint64_t)s->left_over : 0;

	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->process == p && owed_by(o) > 0)
			all += (uint64_t)owed_by(o);
	if (!all || !left_over)
		return;
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->process == p && owed_by(o) > 0)
			o->settled -= scaled((uint64_t)owed_by(o), left_over, all);
	s->left_over = 0;
}

static void take_plan(struct shares *s, const struct pacing *plan)
{
	s->window = plan->end - plan->start;
	s->period = plan->period_end - plan->period_start;
}

bool shares_divide(struct shares *s, const struct process *p, const struct pacing *plan)
{
	uint64_t wanted = 0;

	take_plan(s, plan);
	s->taken = 0;
	lock_take(&engine.world_lock);
	if (!s->has_new)
		spread_left_over(s, p);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->process == p) {
			give_share(s, o);
			wanted += o->is_awaited ? o->share : 0;
		}
	if (s->has_new)
		wanted += share_of(s, s->left_over);
	s->wanted = wanted;
	for (struct thread *o = engine.threads; o && !wanted; o = o->next_thread)
		if (o->process == p) {
			o->unsampled = false;
			o->has_come = true;
			o->share = 0;
		}
	lock_drop(&engine.world_lock);
	return wanted > 0;
}

void shares_take(struct shares *s, struct thread *t, uint64_t n)
{
	if (!t->is_awaited)
		s->wanted += t->share;
	t->has_come = t->is_awaited = true;
	s->taken += n;
	t->share -= n;
	t->settled += scaled(n, s->period, s->window);
	t->unsampled = t->share == 0;
}

bool shares_are_taken(const struct shares *s)
{
	return s->taken >= s->wanted;
}

void shares_settle(struct shares *s, const struct process *p, const struct pacing *plan)
{
	take_plan(s, plan);
	s->left_over = 0;
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->process == p) {
			begin(s, o);
			o->is_new = false;
		}
	lock_drop(&engine.world_lock);
	s->has_new = false;
}

void shares_close(struct shares *s, const struct process *p)
{
	s->wanted = 0;
	s->has_new = false;
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->process == p) {
			o->share = 0;
			o->is_new = false;
		}
	lock_drop(&engine.world_lock);
}

uint64_t shares_stand_for(const struct shares *s)
{
	return scaled(s->taken, s->period, s->window);
}
