/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks of records: a table of the least size and one function for each type. */
#include "collector/record_check.h"

#include <stdbool.h>
#include <string.h>

#include "channel/stack_distance.h"

/* Far above real counts: a hundred threads with a billion accesses a second take a month. */
#define MAX_COUNT  (UINT64_MAX >> 6)
#define MAX_SIGNAL 64
#define MAX_PATH   4096 /* bytes, as in the kernel */

/* `bytes` of text follow `fixed` bytes, and end in a NUL. */
static bool has_text(const struct record_header *h, size_t fixed, uint32_t bytes)
{
	const char *text = (const char *)h + fixed;

	return bytes > 0 && bytes <= h->bytes - fixed && text[bytes - 1] == '\0';
}

static const char *check_process(const struct record_header *h)
{
	const struct record_process *p = (const void *)h;

	if (p->cause > 2 || p->time_ns > MAX_COUNT || p->order > INT32_MAX)
		return "a process that began for no known cause";
	return has_text(h, sizeof(*p), p->string_bytes) ? NULL : "a process without a path";
}

static const char *check_module(const struct record_header *h)
{
	const struct record_module *m = (const void *)h;

	if (m->start >= m->end || m->position > MAX_COUNT || m->file_offset > MAX_COUNT)
		return "a module of impossible size";
	return m->path_bytes <= MAX_PATH && has_text(h, sizeof(*m), m->path_bytes)
		       ? NULL
		       : "a module without a path";
}

static const char *check_unmap(const struct record_header *h)
{
	const struct record_unmap *u = (const void *)h;

	return u->start < u->end && u->position <= MAX_COUNT ? NULL : "an impossible unmapping";
}

static const char *check_thread(const struct record_header *h)
{
	const struct record_thread *t = (const void *)h;

	return (t->accesses | t->loads | t->stores | t->instructions) <= MAX_COUNT
		       ? NULL
		       : "a thread with impossible counts";
}

static bool are_counts(const uint64_t counts[CHANNEL_FAR_SIZES])
{
	uint64_t most = 0;

	for (size_t i = 0; i < CHANNEL_FAR_SIZES; i++)
		most |= counts[i];
	return most <= MAX_COUNT;
}

static const char *check_window(const struct record_header *h)
{
	const struct record_window *w = (const void *)h;

	return (w->start | w->length | w->stands_for | w->footprint_pages | w->chosen |
		w->chosen_loads) <= MAX_COUNT &&
			       are_counts(w->far) && are_counts(w->far_lines) &&
			       are_counts(w->far_line_weight)
		       ? NULL
		       : "a window of impossible length";
}

static bool is_access(const struct record_access *a)
{
	return a->kind >= ACCESS_LOAD && a->kind <= ACCESS_MODIFY;
}

static const char *check_sample(const struct record_header *h)
{
	const struct record_sample *s = (const void *)h;

	if (s->status > SAMPLE_CUT || (s->position | s->distance) > MAX_COUNT)
		return "a sample with impossible numbers";
	if (!is_access(&s->begin) || (s->status == SAMPLE_REUSED && !is_access(&s->end)))
		return "a sample that neither loads nor stores";
	return NULL;
}

/* An access, or nothing. */
static bool is_access_or_none(const struct record_access *a)
{
	static const struct record_access none;

	return is_access(a) || memcmp(a, &none, sizeof(none)) == 0;
}

static const char *check_far(const struct record_header *h)
{
	const struct record_far *f = (const void *)h;
	const struct far_line *line = record_far_lines(f);
	unsigned count = (unsigned)__builtin_popcount(f->sizes);

	if (f->sizes == 0 || f->sizes >> CHANNEL_FAR_SIZES != 0 || (f->first & ~f->sizes) != 0 ||
	    f->position > MAX_COUNT || count * sizeof(*line) != h->bytes - sizeof(*f))
		return "a far reuse of impossible sizes";
	if (!is_access(&f->end) || !is_access_or_none(&f->begin))
		return "a far reuse that neither loads nor stores";
	for (unsigned i = 0; i < CHANNEL_FAR_SIZES; i++) {
		if ((f->sizes >> i & 1) == 0)
			continue;
		if (line->weight == 0 ||
		    (line->weight | line->distance | line->lines) > MAX_COUNT ||
		    ((f->first >> i & 1) && (line->distance | line->lines) != 0))
			return "a far reuse with impossible numbers";
		line++;
	}
	return NULL;
}

static const char *check_stack_distance(const struct record_header *h)
{
	const struct record_stack_distance *d = (const void *)h;
	uint64_t most = d->position;

	for (unsigned i = 0; i < STACK_SIZES; i++)
		most |= d->distance[i] | d->lines[i];
	return most <= MAX_COUNT && d->sizes != 0 && d->sizes <= STACK_ALL
		       ? NULL
		       : "a stack distance with impossible numbers";
}

static const char *check_nested(const struct record_header *h)
{
	const struct record_nested *n = (const void *)h;
	const struct nested_event *e = (const void *)(n + 1);

	if (n->count > NESTED_SIZES || n->count * sizeof(*e) > h->bytes - sizeof(*n) ||
	    !is_access(&n->begin) || (n->open & ~NESTED_ALL) != 0 || n->status > SAMPLE_CUT ||
	    (n->position | n->watched) > MAX_COUNT || n->weight == 0)
		return "a sample of several lines with impossible numbers";
	for (uint32_t i = 0; i < n->count; i++)
		if (!is_access(&e[i].end) || (e[i].sizes & ~NESTED_ALL) != 0 ||
		    e[i].distance > MAX_COUNT || e[i].weight == 0)
			return "a sample of several lines with a touch that cannot be";
	return NULL;
}

static const char *check_region(const struct record_header *h)
{
	const struct record_region *g = (const void *)h;

	if (g->start >= g->end || g->position > MAX_COUNT)
		return "a named piece of memory of impossible size";
	return has_text(h, sizeof(*g), g->name_bytes) ? NULL
						      : "a piece of memory whose name has no end";
}

static const char *check_locals(const struct record_header *h)
{
	const struct record_locals *l = (const void *)h;

	return l->start >= l->end || (l->end | l->position) > MAX_COUNT
		       ? "thread-local variables of impossible size"
		       : NULL;
}

static const char *check_site(const struct record_header *h)
{
	const struct record_site *s = (const void *)h;

	if (s->id == 0 || s->id > SITE_MAX_ID || s->kind == 0 || s->kind >= SITE_ALL_KINDS ||
	    s->element_size > MAX_COUNT || s->position > MAX_COUNT)
		return "a site of no known kind";
	if (strnlen(s->name, sizeof(s->name)) == sizeof(s->name))
		return "a site whose name has no end";
	return s->depth <= SITE_MAX_DEPTH && s->depth <= (h->bytes - sizeof(*s)) / sizeof(uint64_t)
		       ? NULL
		       : "a site with a path longer than its record";
}

static const char *check_site_counts(const struct record_header *h)
{
	const struct record_site_counts *s = (const void *)h;

	return (s->element_size | s->blocks | s->bytes | s->live_blocks | s->live_bytes |
		s->peak_bytes | s->smallest | s->largest) <= MAX_COUNT
		       ? NULL
		       : "a site with impossible counts";
}

static const char *check_path(const struct record_header *h)
{
	const struct record_path *p = (const void *)h;

	if (p->id == 0 || p->id > PATH_MAX_ID || p->depth == 0 || p->depth > PATH_MAX_DEPTH ||
	    p->position > MAX_COUNT)
		return "an impossible call path";
	return p->depth <= (h->bytes - sizeof(*p)) / sizeof(uint64_t)
		       ? NULL
		       : "a call path longer than its record";
}

static const char *check_segment(const struct record_header *h)
{
	const struct record_segment *s = (const void *)h;
	const struct segment_part *part = (const void *)(s + 1);
	size_t room = h->bytes - sizeof(*s), own = 0;

	if (s->executions > MAX_COUNT || s->position > MAX_COUNT || s->parts == 0 ||
	    s->parts * sizeof(*part) > room)
		return "a piece of code of impossible size";
	for (size_t i = 0; i < s->parts; i++)
		own += part[i].has_events != 0;
	return own * s->events * sizeof(uint64_t) <= room - s->parts * sizeof(*part)
		       ? NULL
		       : "a piece of code with more events than its record has room for";
}

static const char *check_node(const struct record_header *h)
{
	const struct record_node *n = (const void *)h;

	/* Callers are reported first, so there are no cycles. */
	return n->id != 0 && n->caller < n->id && n->kind <= FUNCTION_MADE &&
			       n->position <= MAX_COUNT
		       ? NULL
		       : "an impossible node of the call graph";
}

static const char *check_arc(const struct record_header *h)
{
	const struct record_arc *a = (const void *)h;

	if (a->callee == 0 || (a->calls | a->position) > MAX_COUNT)
		return "an impossible call";
	return a->events <= (h->bytes - sizeof(*a)) / sizeof(uint64_t)
		       ? NULL
		       : "a call with more events than its record has room for";
}

static const char *check_jump(const struct record_header *h)
{
	const struct record_jump *j = (const void *)h;

	return j->node != 0 && (j->position | j->executed | j->taken) <= MAX_COUNT
		       ? NULL
		       : "an impossible jump";
}

static bool is_of_bin(const struct bin_data *d)
{
	return d->kind < BIN_DATA_KINDS && d->start <= d->end && d->position <= MAX_COUNT;
}

static bool are_bin_counts(const struct bin_counts *c)
{
	return c->missed <= MAX_COUNT && c->cold <= c->missed &&
	       c->by_self <= c->missed - c->cold && c->conflicts <= c->missed - c->cold &&
	       c->unknown <= c->missed - c->cold - c->by_self &&
	       c->above <= c->missed - c->cold - c->by_self - c->unknown &&
	       c->seen[0] <= c->missed && c->seen[1] <= c->missed && c->seen[2] <= c->missed;
}

/* Either nowhere, or low and high are some steps apart. */
static bool is_range(const struct bin_range *r)
{
	if (r->low > r->high)
		return true;
	return r->step == 0 ? r->low == r->high : (r->high - r->low) % r->step == 0;
}

static const char *check_bin(const struct record_header *h)
{
	const struct record_bin *b = (const void *)h;
	bool is_good = is_of_bin(&b->data) && b->position <= MAX_COUNT && is_range(&b->range) &&
		       b->places.count <= BIN_PLACES;

	for (size_t level = 0; level < BIN_MOST_LEVELS; level++)
		is_good &= are_bin_counts(&b->counts[level]);
	return is_good ? NULL : "impossible misses of a data structure";
}

static const char *check_eviction(const struct record_header *h)
{
	const struct record_eviction *e = (const void *)h;

	return is_of_bin(&e->data) && is_of_bin(&e->evictor_data) && e->cache < BIN_CACHES &&
			       (e->position | e->evictor_position | e->count) <= MAX_COUNT &&
			       e->conflicts <= e->count
		       ? NULL
		       : "an impossible eviction";
}

static const char *check_stretch(const struct record_header *h)
{
	const struct record_stretch *s = (const void *)h;
	bool is_good = (s->number | s->start | s->accesses | s->instructions) <= MAX_COUNT;

	for (size_t i = 0; i < BIN_CACHES; i++) {
		const struct stretch_cache *c = &s->caches[i];

		is_good &= (c->missed | c->timed | c->dead) <= MAX_COUNT &&
			   c->unknown <= c->missed && c->above <= c->missed - c->unknown &&
			   c->half <= c->late && c->late <= c->unknown + c->above &&
			   c->dead_late <= c->dead;
	}
	return is_good ? NULL : "an impossible stretch of a simulation";
}

static const char *check_contrasts(const struct record_header *h)
{
	const struct record_contrasts *x = (const void *)h;

	return is_of_bin(&x->data) && x->cache < BIN_CACHES && x->position <= MAX_COUNT &&
			       x->is_bin <= 1
		       ? NULL
		       : "impossible contrasts of misses";
}

static const char *check_references(const struct record_header *h)
{
	const struct record_references *x = (const void *)h;
	uint64_t most = x->position | x->counted | x->seen;

	for (size_t i = 0; i < BIN_WINDOW_GROUPS; i++)
		most |= x->weights[i];
	return is_of_bin(&x->data) && most <= MAX_COUNT
		       ? NULL
		       : "impossible references of a data structure";
}

static const char *check_pattern(const struct record_header *h)
{
	const struct record_pattern *r = (const void *)h;
	const struct pattern *x = &r->pattern;
	uint64_t most = x->windows | x->seen | x->accesses;
	bool is_good = x->known <= x->accesses && x->usual <= x->known && x->near <= x->known &&
		       x->words <= x->accesses && x->to_self <= x->words &&
		       x->to_others <= x->words && x->from_self <= x->accesses &&
		       x->from_others <= x->accesses - x->from_self && x->inside <= x->accesses &&
		       x->hops <= x->accesses - x->inside && x->rows <= x->hops;

	for (size_t i = 0; i < PATTERN_STEPS; i++) {
		most |= x->steps[i].bytes | x->steps[i].accesses;
		is_good &= x->steps[i].touched <= UINT32_MAX;
	}
	return is_of_bin(&r->data) && most <= MAX_COUNT && is_good
		       ? NULL
		       : "an impossible pattern of accesses";
}

const char *record_check_counters(const struct channel_counters *c)
{
	uint64_t numbers[sizeof(*c) / sizeof(uint64_t)], most = 0;

	memcpy(numbers, c, sizeof(numbers));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		most |= numbers[i];
	return most <= MAX_COUNT ? NULL : "impossible counts";
}

static const char *check_end(const struct record_header *h)
{
	const struct record_end *e = (const void *)h;

	if (e->cause > END_SIGNAL ||
	    (e->cause == END_SIGNAL && (e->status == 0 || e->status > MAX_SIGNAL)))
		return "an end of no known cause";
	return (e->footprint_pages | e->time_ns) <= MAX_COUNT && are_counts(e->far_lines) &&
			       are_counts(e->far_line_weight) &&
			       record_check_counters(&e->counters) == NULL
		       ? NULL
		       : "an impossible end";
}

static const char *check_stream(const struct record_header *h)
{
	const struct record_stream *s = (const void *)h;

	return s->count <= (h->bytes - sizeof(*s)) / sizeof(uint64_t)
		       ? NULL
		       : "a stream longer than its record";
}

static const char *check_lines(const struct record_header *h)
{
	const struct record_lines *l = (const void *)h;

	return l->count <= (h->bytes - sizeof(*l)) / sizeof(uint64_t)
		       ? NULL
		       : "more accesses to lines than its record holds";
}

static const char *check_probes(const struct record_header *h)
{
	const struct record_probes *p = (const void *)h;

	return p->count <= (h->bytes - sizeof(*p)) / sizeof(uint64_t) && p->level < LINES_LEVELS
		       ? NULL
		       : "more stack distances than its record holds";
}

static const char *check_nothing(const struct record_header *h)
{
	(void)h;
	return NULL;
}

static const struct {
	size_t bytes; /* least size */
	const char *(*check)(const struct record_header *h);
} checks[] = {
	[RECORD_PROCESS] = {sizeof(struct record_process), check_process},
	[RECORD_MODULE] = {sizeof(struct record_module), check_module},
	[RECORD_UNMAP] = {sizeof(struct record_unmap), check_unmap},
	[RECORD_THREAD] = {sizeof(struct record_thread), check_thread},
	[RECORD_WINDOW] = {sizeof(struct record_window), check_window},
	[RECORD_SAMPLE] = {sizeof(struct record_sample), check_sample},
	[RECORD_FAR] = {sizeof(struct record_far), check_far},
	[RECORD_STACK_DISTANCE] = {sizeof(struct record_stack_distance), check_stack_distance},
	[RECORD_NESTED] = {sizeof(struct record_nested), check_nested},
	[RECORD_END] = {sizeof(struct record_end), check_end},
	[RECORD_STREAM] = {sizeof(struct record_stream), check_stream},
	[RECORD_LINES] = {sizeof(struct record_lines), check_lines},
	[RECORD_PROBES] = {sizeof(struct record_probes), check_probes},
	[RECORD_REGION] = {sizeof(struct record_region), check_region},
	[RECORD_LOCALS] = {sizeof(struct record_locals), check_locals},
	[RECORD_MESSAGE] = {sizeof(struct record_header), check_nothing},
	[RECORD_PATH] = {sizeof(struct record_path), check_path},
	[RECORD_SEGMENT] = {sizeof(struct record_segment), check_segment},
	[RECORD_NODE] = {sizeof(struct record_node), check_node},
	[RECORD_ARC] = {sizeof(struct record_arc), check_arc},
	[RECORD_JUMP] = {sizeof(struct record_jump), check_jump},
	[RECORD_BIN] = {sizeof(struct record_bin), check_bin},
	[RECORD_EVICTION] = {sizeof(struct record_eviction), check_eviction},
	[RECORD_STRETCH] = {sizeof(struct record_stretch), check_stretch},
	[RECORD_CONTRASTS] = {sizeof(struct record_contrasts), check_contrasts},
	[RECORD_REFERENCES] = {sizeof(struct record_references), check_references},
	[RECORD_PATTERN] = {sizeof(struct record_pattern), check_pattern},
	[RECORD_SITE] = {sizeof(struct record_site), check_site},
	[RECORD_SITE_COUNTS] = {sizeof(struct record_site_counts), check_site_counts},
};

const char *record_check(const struct record_header *h)
{
	if (h->type >= sizeof(checks) / sizeof(checks[0]) || checks[h->type].check == NULL)
		return "a record of unknown type";
	if (h->bytes < checks[h->type].bytes)
		return "a record that is too short";
	return checks[h->type].check(h);
}

const char *record_process_strings(const struct record_process *p)
{
	return (const char *)(p + 1);
}

const char *record_module_path(const struct record_module *m)
{
	return (const char *)(m + 1);
}

const char *record_region_name(const struct record_region *g)
{
	return (const char *)(g + 1);
}

const char *record_message_text(const struct record_header *h, size_t *bytes)
{
	const char *text = (const char *)(h + 1);

	*bytes = strnlen(text, h->bytes - sizeof(*h));
	return text;
}

const struct far_line *record_far_lines(const struct record_far *f)
{
	return (const struct far_line *)(f + 1);
}

const uint64_t *record_site_path(const struct record_site *s)
{
	return (const uint64_t *)(s + 1);
}

const uint64_t *record_path_path(const struct record_path *p)
{
	return (const uint64_t *)(p + 1);
}

const struct segment_part *record_segment_parts(const struct record_segment *s)
{
	return (const struct segment_part *)(s + 1);
}

const uint64_t *record_segment_events(const struct record_segment *s)
{
	return (const uint64_t *)(record_segment_parts(s) + s->parts);
}

const uint64_t *record_stream_entries(const struct record_stream *s)
{
	return (const uint64_t *)(s + 1);
}

const uint64_t *record_lines_entries(const struct record_lines *l)
{
	return (const uint64_t *)(l + 1);
}

const uint64_t *record_probes_entries(const struct record_probes *p)
{
	return (const uint64_t *)(p + 1);
}

const uint64_t *record_arc_values(const struct record_arc *a)
{
	return (const uint64_t *)(a + 1);
}
