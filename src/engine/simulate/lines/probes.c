/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stack distances of accesses chosen at random; see probes.h. */
#include "engine/simulate/lines/probes.h"

#include "channel/lines.h"
#include "engine/codecache/pages.h"
#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/drive/buffers.h"
#include "engine/translate/translate.h"

/*
 * Entries that stay known after their buffer was emptied, at least. At level 0 they hold 1024 lines
 * in most programs.
 */
#define PAST_LEAST (BUFFER_ENTRIES / 2)

/*
 * The mean distance of probes in accesses: this part of the run so far, within bounds.
 */
#define PART	  16384u
#define SMALLEST  64u
#define LARGEST	  8192u
#define LARGEST_1 128u /* of level 1, in accesses to its sample */

/* log2 of the slots of the table of lines, of which a quarter is used: it fits into an L1 cache */
#define SLOTS_LOG2 12u
#define SLOTS	   (1u << SLOTS_LOG2)
#define BATCH	   1024u

/*
 * Accesses whose offset is no multiple of 8, in the last bytes of a line, may straddle it, and then
 * count for two lines. To look at the sizes of the others would take longer than all else.
 */
#define EDGE 32u

/*
 * A slot has the line, and behind it the number of the probe that has met it. Lines have at most 45
 * bits.
 */
#define PROBE_BITS 19u
#define PROBE_MASK ((1u << PROBE_BITS) - 1)

_Static_assert(SLOTS >= 4 * LINES_PROBED, "the table is not full");

struct level {
	uint64_t gap;	 /* mean, in entries */
	uint64_t offset; /* of the next probe, in its stretch of so many entries */
	uint64_t next;	 /* entries from the next one to the next probe */
	bool is_whole;	 /* `past` has all that the process did */
	uint32_t count;	 /* entries of past */
	uint32_t seen;	 /* level 1: those of them that no probe can begin at any more */
	uint32_t newest; /* level 1: those of them that belong to the buffer, at least */
	/* BUFFER_ENTRIES: at level 0 as in buffers, at level 1 addresses of lines */
	uint64_t *past;
	uint32_t group; /* of the probe that is on its way */
	struct record_probes record;
	uint64_t out[BATCH];
};

/* State of the process. */
static struct {
	uint32_t line_shift, seed; /* of lines_hash */
	uint64_t random;
	uint64_t probe; /* the number of the last one */
	uint64_t *slots;
	bool has_level_1;
	struct level level[LINES_LEVELS];
} s;

static bool level_start(struct level *l, uint32_t number)
{
	if (!l->past)
		l->past = buffers_get();
	l->gap = SMALLEST;
	l->next = l->offset = random_next(&s.random) % l->gap;
	l->is_whole = true;
	l->count = l->seen = l->newest = 0;
	l->record = (struct record_probes){.level = number};
	return l->past;
}

bool probes_start(uint32_t line_shift, uint32_t seed, uint64_t random, bool has_level_1)
{
	if (!s.slots)
		s.slots = pages_get(round_up(SLOTS * sizeof *s.slots, PAGE));
	s.line_shift = line_shift;
	s.seed = seed;
	s.random = random;
	s.has_level_1 = has_level_1;
	return s.slots && level_start(&s.level[0], 0) &&
	       (!has_level_1 || level_start(&s.level[1], 1));
}

static void send(struct process *p, struct level *l)
{
	l->record.weight = (uint32_t)l->gap;
	if (l->record.count)
		records_probes(p, &l->record, l->out);
	l->record.count = 0;
}

void probes_end(struct process *p)
{
	for (uint32_t i = 0; i < LINES_LEVELS; i++)
		send(p, &s.level[i]);
}

static void note(struct process *p, struct level *l, uint64_t lines, uint32_t what)
{
	l->out[l->record.count++] = LINES_PROBE(lines, l->group, what);
	if (l->record.count == BATCH)
		send(p, l);
}

/* ---- The past ---- */

/* Makes room for n < least entries. */
static void forget(struct level *l, uint32_t n)
{
	const uint32_t stay = PAST_LEAST - n;

	if (l->count + n <= BUFFER_ENTRIES)
		return;
	l->is_whole = false;
	memmove(l->past, l->past + l->count - stay, stay * sizeof *l->past);
	l->seen -= l->seen < l->count - stay ? l->seen : l->count - stay;
	l->count = stay;
}

/* Keeps the entries of [p, end), less than PAST_LEAST. */
static void keep(struct level *l, const uint64_t *p, const uint64_t *end)
{
	const uint64_t n = (uint64_t)(end - p);

	forget(l, (uint32_t)n);
	memcpy(l->past + l->count, p, n * sizeof *p);
	l->count += (uint32_t)n;
}

/* ---- A probe ---- */

struct probe {
	struct process *process;
	struct level *level;
	uint64_t line, last; /* of the access, which were not met yet */
	uint64_t lines;	     /* met so far */
	uint64_t previous;   /* the last line met */
	uint64_t end;	     /* lines at which it ends, or draws lots */
	bool is_many;	     /* it, and each line, stand for LINES_LEVEL_ONE_IN */
};

static void note_probe(const struct probe *o, uint32_t what)
{
	note(o->process, o->level, o->lines, o->is_many ? what | LINES_MANY : what);
}

/* The bytes of the access at `entry` in [begin, ...). */
static uint32_t bytes_of(const uint64_t *entry, const uint64_t *begin)
{
	const uint64_t *first = entry, *trailer = entry;

	while (first > begin && !(first[-1] >> 63))
		first--;
	while (!(*trailer >> 63))
		trailer++;
	return translate_desc((uint32_t)*trailer & STREAM_NUMBER_MASK)->access[entry - first].size;
}

/* Meets a line. False: the probe ends, and is noted. */
static bool meet(struct probe *o, uint64_t line)
{
	const uint64_t mine = line << PROBE_BITS | (s.probe & PROBE_MASK);
	uint64_t *slot = &s.slots[(uint32_t)line * 0x9e3779b1u >> (32 - SLOTS_LOG2)];

	if (line == o->line || line == o->last) {
		if (o->line == o->last) {
			note_probe(o, LINES_FOUND);
			return false;
		}
		/* of an access to two lines the further one counts */
		o->line = o->last = line == o->line ? o->last : o->line;
	}
	o->previous = line;
	while ((*slot & PROBE_MASK) == (s.probe & PROBE_MASK)) {
		if (*slot == mine)
			return true;
		slot = slot + 1 < s.slots + SLOTS ? slot + 1 : s.slots;
	}
	*slot = mine;
	o->lines += o->is_many ? LINES_LEVEL_ONE_IN : 1;
	if (o->lines < o->end)
		return true;
	if (o->end < LINES_PROBED && random_next(&s.random) & 1) {
		o->end = o->end < LINES_LOTS_2 ? LINES_LOTS_2 : LINES_PROBED;
		return true;
	}
	note_probe(o, LINES_ENDED);
	return false;
}

/* Goes back over [begin, at) of a buffer. False: the probe has ended. */
static bool go_back(struct probe *o, const uint64_t *begin, const uint64_t *at)
{
	const uint64_t in_line = (1ull << s.line_shift) - 1;

	while (at-- > begin) {
		const uint64_t line = *at >> s.line_shift, offset = *at & in_line;

		if (*at >> 63)
			continue;
		if (__builtin_expect((offset & 7) && offset + EDGE > in_line, 0)) {
			uint64_t last = (*at + bytes_of(at, begin) - 1) >> s.line_shift;

			if (last > line && !meet(o, last))
				return false;
		}
		if (line != o->previous && !meet(o, line))
			return false;
	}
	return true;
}

/* The same for addresses of lines. */
static bool go_back_by_line(struct probe *o, const uint64_t *begin, const uint64_t *at)
{
	while (at-- > begin) {
		const uint64_t line = *at >> s.line_shift;

		if (line != o->previous && !meet(o, line))
			return false;
	}
	return true;
}

/* The part of level 1's lines to which the line belongs. */
static uint32_t group_of(uint64_t line)
{
	return lines_hash(line, s.seed) /
	       (uint32_t)(lines_threshold(LINES_LEVEL_ONE_IN) / LINES_GROUPS) % LINES_GROUPS;
}

static struct probe begin(struct process *p, struct level *l, uint64_t line, uint64_t last)
{
	s.probe++;
	l->group = l == &s.level[0] ? s.probe % LINES_GROUPS : group_of(line);
	if (!(s.probe & PROBE_MASK)) { /* numbers begin anew */
		memset(s.slots, 0, SLOTS * sizeof *s.slots);
		s.probe++;
	}
	return (struct probe){p, l, line, last, 0, ~0ull, LINES_LOTS_1, false};
}

/* The probe has met all that is known of the level. */
static void finish(struct probe *o, const struct level *known)
{
	if (known->is_whole) /* a first touch: it has missed in all caches */
		o->lines = LINES_PROBED;
	note_probe(o, LINES_ENDED);
}

/*
 * The same; one of level 0 goes on in level 1. What that has of the same time was met, and counts
 * no more.
 */
static void go_on(struct probe *o)
{
	const struct level *l = &s.level[1];

	finish(o, o->level);
	if (!s.has_level_1 || o->level == l || o->level->is_whole ||
	    lines_hash(o->line, s.seed) >= lines_threshold(LINES_LEVEL_ONE_IN))
		return;
	o->is_many = true;
	o->level->group = group_of(o->line); /* which may be chosen often */
	o->last = o->line;
	note_probe(o, LINES_JOINED);
	if (go_back_by_line(o, l->past,
			    l->past + l->count - (l->newest < l->count ? l->newest : l->count)))
		finish(o, l);
}

static void probe(struct process *p, const uint64_t *begin_at, const uint64_t *at)
{
	struct level *l = &s.level[0];
	const uint32_t bytes = bytes_of(at, begin_at);
	struct probe o =
		begin(p, l, *at >> s.line_shift, (*at + (bytes ? bytes - 1 : 0)) >> s.line_shift);

	if (go_back(&o, begin_at, at) && go_back(&o, l->past, l->past + l->count))
		go_on(&o);
}

/* ---- Which accesses ---- */

/*
 * The distance from one to the next. Each stretch of `gap` entries has one, so each part of the run
 * has its share of them: groups by turns would not show how far it is off.
 */
static uint64_t draw(struct level *l)
{
	const uint64_t rest = l->gap - l->offset;

	l->offset = random_next(&s.random) % l->gap;
	return rest + l->offset;
}

static void change_gap(struct process *p, struct level *l, uint64_t total, uint64_t largest)
{
	const uint64_t part = total / PART;
	const uint64_t gap = part < SMALLEST ? SMALLEST : part > largest ? largest : part;

	if (gap == l->gap || (gap < l->gap + l->gap / 8 && gap != largest))
		return;
	send(p, l);
	l->gap = gap;
}

void probes_buffer(struct thread *t, uint64_t total)
{
	const uint64_t *p = t->buf_start, *end = t->buf;
	struct level *l = &s.level[0];

	change_gap(t->process, l, total, LARGEST);
	change_gap(t->process, &s.level[1], total / LINES_LEVEL_ONE_IN, LARGEST_1);
	/* An entry that is a trailer is no access, so each access has the same chance. */
	for (; p + l->next < end; l->next = draw(l)) {
		p += l->next;
		if (!(*p >> 63))
			probe(t->process, t->buf_start, p);
	}
	l->next -= (uint64_t)(end - p);
	if (t->buf - t->buf_start >= PAST_LEAST) {
		/* the buffer becomes the past, and the past's memory the buffer */
		l->is_whole &= l->count == 0;
		l->count = (uint32_t)(t->buf - t->buf_start);
		l->past = buffers_swap(t, l->past);
	} else {
		keep(l, t->buf_start, end);
	}
	s.level[1].newest = 0;
}

void probes_add(uint64_t line)
{
	struct level *l = &s.level[1];

	forget(l, 1);
	l->past[l->count++] = line << s.line_shift;
	l->newest++;
}

void probes_look(struct process *p)
{
	struct level *l = &s.level[1];

	for (; l->seen + l->next < l->count; l->next = draw(l)) {
		l->seen += (uint32_t)l->next;
		struct probe o = begin(p, l, l->past[l->seen] >> s.line_shift,
				       l->past[l->seen] >> s.line_shift);

		if (go_back_by_line(&o, l->past, l->past + l->seen))
			finish(&o, l);
	}
	l->next -= l->count - l->seen;
	l->seen = l->count;
}

/* `count` accesses in a row to a line that is in no buffer: all but the first one are hits. */
static void touch(struct process *p, struct level *l, uint64_t line, uint64_t count)
{
	uint64_t others = random_next(&s.random) % l->gap + (count - 1);

	if (random_next(&s.random) % l->gap == 0) {
		struct probe o = begin(p, l, line, line);

		if (go_back(&o, l->past, l->past + l->count))
			go_on(&o);
	}
	for (; others >= l->gap; others -= l->gap) {
		l->group = l == &s.level[0] ? (l->group + 1) % LINES_GROUPS : group_of(line);
		note(p, l, 0, LINES_FOUND);
	}
}

void probes_touch(const struct thread *t, uint64_t line, uint64_t count, bool in_level_1)
{
	const uint64_t address = line << s.line_shift;

	touch(t->process, &s.level[0], line, count);
	keep(&s.level[0], &address, &address + 1);
	if (!s.has_level_1 || !in_level_1)
		return;
	touch(t->process, &s.level[1], line, count);
	probes_add(line);
	s.level[1].seen = s.level[1].count;
}
