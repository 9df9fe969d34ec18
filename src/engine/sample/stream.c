/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exact stream, a run mode: every access goes to the ring, together with the marks that
 * stream_marks asks for.
 */
#include "engine/core/fsbase.h"
#include "engine/core/records.h"
#include "engine/core/run_mode.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/drive/collect.h"
#include "engine/translate/translate.h"

#define BATCH_ENTRIES 4000u

/* A record under construction. */
struct batch {
	const struct thread *t;
	uint64_t pc;   /* of the last STREAM_PC in it */
	uint64_t site; /* of the last STREAM_SITE in it */
	uint32_t count, most;
};

static uint64_t out[BATCH_ENTRIES]; /* under the lock of collect.h */

static struct batch batch_begin(const struct thread *t)
{
	uint32_t most = records_stream_most(t->process);

	return (struct batch){.t = t, .most = most < BATCH_ENTRIES ? most : BATCH_ENTRIES};
}

static void batch_send(struct batch *b)
{
	if (b->count)
		records_stream(b->t->process, b->t->index, out, b->count);
	b->count = 0;
	b->site = 0;
}

/* alloc_describe sends a new site at once, so before the record that names it. */
static void mark_site(struct batch *b, uint64_t address)
{
	struct record_access a = {.address = address};

	alloc_describe(b->t, &a, UINT64_MAX);
	if (a.site == b->site)
		return;
	out[b->count++] = STREAM_SITE(a.site);
	b->site = a.site;
}

static void batch_add(struct batch *b, uint64_t pc, uint64_t entry)
{
	if (b->count + 3 > b->most)
		batch_send(b);
	if (engine.config.stream_marks & STREAM_MARK_PC && (!b->count || b->pc != pc)) {
		out[b->count++] = STREAM_PC(pc);
		b->pc = pc;
	}
	if (engine.config.stream_marks & STREAM_MARK_SITE)
		mark_site(b, STREAM_ADDRESS(entry));
	out[b->count++] = entry;
}

static void send_buffer(const struct thread *t)
{
	const uint64_t *p = t->buf_start, *trailer = p;
	struct batch b = batch_begin(t);
	uint64_t fs = fsbase_get(t);

	for (; p < t->buf; p = ++trailer) {
		while (!(*trailer >> 63))
			trailer++;
		const struct stream_desc *d =
			translate_desc((uint32_t)*trailer & STREAM_NUMBER_MASK);

		for (uint32_t i = 0; p + i < trailer; i++) {
			const struct stream_access *sa = &d->access[i];
			uint32_t size = sa->size < 0x3fff ? sa->size : 0x3fff;

			batch_add(&b, d->pc + sa->pc_offset,
				  STREAM_ENTRY(p[i] + (sa->fs ? fs : 0), sa->kind, size));
		}
	}
	batch_send(&b);
}

static void send_elements(const struct thread *t, uint64_t pc, const uint64_t *entries, uint32_t n)
{
	struct batch b = batch_begin(t);

	for (uint32_t i = 0; i < n; i++)
		batch_add(&b, pc, entries[i]);
	batch_send(&b);
}

static enum code_variant_id variant(void)
{
	return VARIANT_STREAM;
}

static void consume(struct thread *t, uint64_t here, uint64_t n, uint64_t total)
{
	(void)here;
	(void)n;
	(void)total;
	if (t->process->profiling)
		send_buffer(t);
}

static void elements(struct thread *t, uint64_t pc, uint32_t segment, const uint64_t *entries,
		     uint32_t n)
{
	(void)segment;
	if (!collect_takes(t, n))
		return;
	send_elements(t, pc, entries, n);
	collect_unlock();
}

static bool wants_repeat(struct thread *t, uint32_t segment, uint64_t n)
{
	(void)segment;
	return n && t->variant == VARIANT_STREAM;
}

#define BATCH 512u

static void repeat(struct thread *t, uint32_t segment, const struct repeat *r)
{
	uint64_t batch[BATCH];
	uint32_t k = 0;

	for (uint64_t i = 0; i < r->iterations; i++) {
		for (uint32_t a = 0; a < r->accesses; a++)
			batch[k++] = STREAM_ENTRY(r->address[a] + i * (uint64_t)r->step, r->kind[a],
						  r->size);
		if (k >= BATCH - 1 || i + 1 == r->iterations) {
			elements(t, r->pc, segment, batch, k);
			k = 0;
		}
	}
}

const struct run_mode stream_mode = {
	.variant = variant,
	.consume = consume,
	.wants_repeat = wants_repeat,
	.repeat = repeat,
	.elements = elements,
};
