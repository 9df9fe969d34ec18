/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each form by itself: a chunk of snippets is written, sealed, run and discarded. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "difftest/campaign.h"
#include "difftest/enumerate.h"
#include "difftest/registers.h"

/* Snippets in one chunk; the smallest ones take about 16 bytes. */
#define SNIPPETS_MAX 16384

struct batch {
	struct snippet *snippets;
	uint32_t count;
};

static uint64_t snippet_seed(const struct campaign *c, const struct form *f, uint32_t number)
{
	return rng_mix(c->seed + rng_hash_text(f->key)) + number * 0x10001ull;
}

/* Lay out whole forms until the chunk is full; returns the first one left out. */
static uint32_t fill_chunk(struct campaign *c, struct chunk *chunk, struct batch *b, uint32_t first,
			   uint32_t end)
{
	uint32_t i = first;

	for (; i < end; i++) {
		const struct form *f = &c->table->forms[i];

		if (f->excluded || !campaign_selects(c, f))
			continue;
		if (chunk_room(chunk) < f->count * SNIPPET_BYTES ||
		    b->count + f->count > SNIPPETS_MAX)
			break;
		for (uint32_t n = 0; n < f->count; n++) {
			struct rng r = {.state = snippet_seed(c, f, n)};

			snippet_put(chunk, f, n, &r, &b->snippets[b->count++]);
		}
	}
	return i;
}

static void print_run(const struct campaign *c, const struct snippet *s, uint32_t run,
		      const struct outcome *o)
{
	if (!c->verbose)
		return;
	printf("  %s encoding %" PRIu32 " run %" PRIu32 " %016" PRIx64 "\n", s->form->key,
	       s->number, run, run_digest(o));
	campaign_disassemble((const uint8_t *)(uintptr_t)s->entry, s->bytes, s->entry);
	run_print(stdout, o);
}

/* The digest of all runs of one encoding; *illegal is cleared if the CPU knows it. */
static uint64_t run_encoding(struct campaign *c, const struct snippet *s, int *illegal)
{
	uint64_t h = 0;
	struct decoded d;

	/* The bytes in place, for their displacements. */
	if (enumerate_decode((const uint8_t *)(uintptr_t)s->entry, s->bytes, &d))
		abort();
	for (uint32_t run = 0; run < c->runs; run++) {
		struct inputs in = {.place = &c->place,
				    .in = &difftest_in,
				    .rng = {.state = snippet_seed(c, s->form, s->number)},
				    .d = &d,
				    .snippet = s};
		const struct fault *fault = run_fault();
		struct outcome o;

		in.rng.state = rng_mix(in.rng.state + run);
		inputs_prepare(&in);
		if (c->registers) {
			c->breaches += registers_check(&c->place, s, &d, &in.rng);
			*illegal &= fault->signal == SIGILL && fault->rip == s->entry;
			continue;
		}
		run_snippet(&o);
		if (fault->signal != SIGILL || fault->rip != s->entry)
			*illegal = 0;
		if (s->form->unstable)
			o = (struct outcome){.fault = fault->signal};
		h = rng_mix(h + run_digest(&o));
		print_run(c, s, run, &o);
	}
	return h;
}

static void run_form(struct campaign *c, const struct snippet *s, uint32_t count)
{
	const struct form *f = s->form;
	uint32_t index = (uint32_t)(f - c->table->forms);
	uint64_t h = 0;
	int illegal = 1;

	c->progress->item = index;
	for (uint32_t i = 0; i < count; i++)
		h = rng_mix(h + run_encoding(c, &s[i], &illegal));
	c->states[index] = illegal ? FORM_NOT_ON_CPU : FORM_RAN;
	if (c->quiet || c->registers)
		return;
	printf("%s %016" PRIx64 "%s\n", f->key, h, illegal ? " not-on-this-cpu" : "");
	if (c->forked)
		fflush(stdout);
}

static int64_t run_chunk(struct campaign *c, uint32_t first, uint32_t end)
{
	struct batch b = {.snippets = calloc(SNIPPETS_MAX, sizeof(struct snippet))};
	uint8_t *base = place_chunk_map(c->next_chunk);
	struct chunk chunk;
	int64_t next = -1;

	if (!b.snippets || !base)
		goto out;
	chunk_init(&chunk, &c->place, base);
	next = fill_chunk(c, &chunk, &b, first, end);
	if (place_chunk_seal(base)) {
		next = -1;
		goto out;
	}
	for (uint32_t i = 0; i < b.count; i += b.snippets[i].form->count)
		run_form(c, &b.snippets[i], b.snippets[i].form->count);
out:
	if (base)
		place_chunk_unmap(base);
	free(b.snippets);
	return next;
}

static void form_died(struct campaign *c, uint32_t item, int status)
{
	c->states[item] = FORM_DIED;
	printf("%s died-with-status-%04x\n", c->table->forms[item].key, (unsigned int)status);
}

int campaign_forms(struct campaign *c)
{
	static const struct campaign_work work = {run_chunk, form_died};

	return campaign_drive(c, &work, 0, c->table->count);
}
