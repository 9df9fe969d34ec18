/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the records of a run to its simulations; see exact.h. What they are called is exact_rows.c. */
#include "collector/exact.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "collector/record_check.h"
#include "collector/sim_heap.h"

/* A place in a table of many megabytes takes longer to come than so many accesses to simulate. */
#define AHEAD 12
/* What a broken target can make us keep is bounded. */
/* Streams are long: a larger ring than for samples, for fewer processes at a time. */
#define SLOTS	   64
#define RING_BYTES ((uint64_t)4 << 20)

/* ---- Processes ---- */

static void free_process(struct exact_process *p)
{
	for (unsigned i = 0; i < EXACT_MAX_LINES; i++)
		sim_curve_release(&p->curves[i]);
	sim_keys_release(&p->keys);
	code_map_release(&p->code);
	map_release(&p->data);
	data_map_release(&p->variables);
	free(p->sites.items);
	free(p->command);
	free(p);
}

static struct exact_process *find_process(const struct exact *e, uint32_t order)
{
	for (size_t i = e->processes.count; i-- > 0;)
		if (e->processes.items[i]->order == order)
			return e->processes.items[i];
	return NULL;
}

static int begin_curves(const struct exact *e, struct exact_process *p)
{
	const struct exact_options *o = e->options;
	uint64_t *lines = calloc(o->size_count + 1, sizeof(*lines));
	int status = lines != NULL ? 0 : -1;

	for (unsigned i = 0; i < o->line_count && status == 0; i++) {
		struct sim_curve_config config = {
			.line_bytes = o->line_bytes[i],
			.size_lines = lines,
			.size_count = o->size_count,
			.policies = {o->policies[0], o->policies[1]},
			.seed = o->seed,
		};

		for (unsigned k = 0; k < o->size_count; k++)
			lines[k] = o->size_bytes[k] / o->line_bytes[i];
		status = sim_curve_init(&p->curves[i], &config, &sim_heap);
	}
	free(lines);
	sim_keys_init(&p->keys, o->at, &sim_heap);
	return status;
}

/* The arguments, which follow the path, with spaces between them. */
static char *copy_command(const struct record_process *rec)
{
	const char *s = record_process_strings(rec), *end = s + rec->string_bytes;
	struct text command = {0};

	for (s += strlen(s) + 1; s < end; s += strlen(s) + 1) {
		if (command.count > 0)
			text_add(&command, " ");
		text_add_printable(&command, s, strlen(s));
	}
	if (command.failed || command.items == NULL) {
		text_release(&command);
		return strdup("");
	}
	return command.items;
}

static void remove_process(struct exact *e, struct exact_process *p)
{
	for (size_t i = 0; i < e->processes.count; i++) {
		if (e->processes.items[i] != p)
			continue;
		e->processes.items[i] = e->processes.items[--e->processes.count];
		break;
	}
	free_process(p);
}

/* Of those that have ended only the one with most accesses, or the one asked for, may be shown. */
static void end_process(struct exact *e, struct exact_process *p)
{
	struct exact_process *other = NULL;

	p->has_ended = true;
	if (e->options->process >= 0) {
		if (e->options->process != p->order)
			remove_process(e, p);
		return;
	}
	for (size_t i = 0; i < e->processes.count; i++)
		if (e->processes.items[i] != p && e->processes.items[i]->has_ended)
			other = e->processes.items[i];
	if (other != NULL)
		remove_process(e, other->accesses < p->accesses ? other : p);
}

static int add_module(struct exact *e, struct exact_process *p, const struct code_module *m)
{
	size_t index;
	enum code_mapped what = code_map_map(&p->code, m, &index);

	if (what == CODE_NO_MEMORY)
		return -1;
	if (what == CODE_TOO_MANY || what == CODE_IS_MAPPED)
		return 0;
	if (e->options->by != EXACT_BY_OBJECT ||
	    (what == CODE_AGAIN && data_map_again(&p->variables, index)))
		return 0;
	return data_map_add(&p->variables, e->symbols, m, index);
}

static void on_process(struct exact *e, const struct record_header *h)
{
	const struct record_process *rec = (const void *)h;
	struct exact_process *p, *parent = find_process(e, rec->parent);

	e->process_count++;
	p = calloc(1, sizeof(*p));
	if (p == NULL || !ARRAY_GROW(&e->processes)) {
		free(p);
		e->failed = true;
		return;
	}
	e->processes.items[e->processes.count++] = p;
	p->order = rec->order;
	p->pid = rec->pid;
	p->command = copy_command(rec);
	/* A forked child has no arguments of its own to tell of. */
	if (p->command != NULL && p->command[0] == '\0' && parent != NULL) {
		free(p->command);
		p->command = strdup(parent->command);
	}
	if (p->command == NULL) {
		e->failed = true;
		return;
	}
	if ((e->options->process < 0 || e->options->process == rec->order) &&
	    begin_curves(e, p) != 0)
		e->failed = true;
	if (rec->cause == 1 && parent != NULL) {
		for (size_t i = 0; i < parent->code.modules.count; i++)
			if (parent->code.modules.items[i].unmapped_at == UINT64_MAX &&
			    add_module(e, p, &parent->code.modules.items[i]) != 0)
				e->failed = true;
	}
	/* The image that was replaced is known to be at its end only now: an exec may fail. */
	if (rec->cause == 2 && parent != NULL)
		end_process(e, parent);
}

/* ---- Modules: for names only ---- */

static void on_module(struct exact *e, struct exact_process *p, const struct record_header *h)
{
	const struct record_module *rec = (const void *)h;
	struct code_module m;

	if (e->options->by != EXACT_BY_CODE && e->options->by != EXACT_BY_OBJECT)
		return;
	if (code_module_read(&m, e->symbols, rec) != 0 || add_module(e, p, &m) != 0)
		e->failed = true;
}

static void on_site(struct exact *e, struct exact_process *p, const struct record_header *h)
{
	const struct record_site *rec = (const void *)h;
	struct exact_site *site;

	if (e->options->by != EXACT_BY_OBJECT)
		return;
	if (!ARRAY_GROW(&p->sites)) {
		e->failed = true;
		return;
	}
	site = &p->sites.items[p->sites.count++];
	*site = (struct exact_site){rec->id, rec->depth, rec->kind, rec->position, {0}};
	memcpy(site->path, record_site_path(rec), rec->depth * sizeof(site->path[0]));
	memcpy(site->name, rec->name, sizeof(site->name));
}

static void on_locals(struct exact *e, struct exact_process *p, const struct record_header *h)
{
	const struct record_locals *l = (const void *)h;

	size_t module = code_map_find_module(&p->code, l->code, UINT64_MAX - 1);

	if (e->options->by == EXACT_BY_OBJECT && module != CODE_NO_MODULE &&
	    data_map_add_locals(&p->variables, p->code.modules.items[module].file, l->start, l->end) != 0)
		e->failed = true;
}

static void on_unmap(struct exact *e, struct exact_process *p, const struct record_header *h)
{
	const struct record_unmap *u = (const void *)h;

	(void)e;
	for (size_t i = 0; i < p->code.modules.count; i++) {
		struct code_module *m = &p->code.modules.items[i];

		if (m->unmapped_at == UINT64_MAX && m->start >= u->start && m->end <= u->end)
			m->unmapped_at = u->position > m->mapped_at ? u->position : m->mapped_at;
	}
}

static void on_end(struct exact *e, struct exact_process *p, const struct record_header *h)
{
	uint32_t cause = ((const struct record_end *)(const void *)h)->cause;

	if (cause == END_EXIT || cause == END_SIGNAL)
		end_process(e, p);
}

/* A limit that the engine met, once. */
static void on_message(struct exact *e, struct exact_process *p, const struct record_header *h)
{
	struct text line = {0};
	size_t bytes;
	const char *text = record_message_text(h, &bytes);

	(void)p;
	text_add_printable(&line, text, bytes);
	if (!e->has_warned && e->options->run.warning != NULL)
		e->options->run.warning(e->options->run.context, text_get(&line));
	e->has_warned = true;
	text_release(&line);
}

/* ---- Accesses ---- */

/* Where misses are summed for an access; UINT64_MAX when memory ran out. */
static uint64_t key_of_code(struct exact_process *p, uint64_t pc, uint64_t position)
{
	size_t module;
	uint32_t *id;
	int is_new;

	id = code_map_locate(&p->code, pc, position, &module, &is_new);
	if (id == NULL)
		return UINT64_MAX;
	if (is_new)
		*id = (uint32_t)(p->code.location_count - 1);
	return *id;
}

static uint64_t key_of_data(struct exact_process *p, uint64_t data)
{
	uint64_t key;

	if (map_get(&p->data, data, &key))
		return key;
	key = p->data.count;
	return map_set(&p->data, data, key) == 0 ? key : UINT64_MAX;
}

static void simulate(struct exact_process *p, struct sim_curve *c, const uint64_t *entries,
		     uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			sim_curve_prefetch(c, STREAM_ADDRESS(entries[i + AHEAD]));
		if (STREAM_KIND(entries[i]) != 0)
			sim_curve_access(c, STREAM_ADDRESS(entries[i]), STREAM_SIZE(entries[i]));
	}
}

/* The same, and each access counts for its key. Returns -1 when memory ran out. */
static int simulate_by_key(const struct exact *e, struct exact_process *p, const uint64_t *entries,
			   uint32_t count)
{
	struct sim_curve *c = &p->curves[0];
	uint64_t key = 0;
	uint32_t site = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t address = STREAM_ADDRESS(entries[i]);
		struct sim_outcome outcome;

		if (i + AHEAD < count)
			sim_curve_prefetch(c, STREAM_ADDRESS(entries[i + AHEAD]));
		if (STREAM_KIND(entries[i]) == 0) {
			if (STREAM_SIZE(entries[i]) == 1)
				site = (uint32_t)address;
			else if (e->options->by == EXACT_BY_CODE)
				key = key_of_code(p, address, p->accesses);
			continue;
		}
		if (e->options->by == EXACT_BY_DATA)
			key = key_of_data(p, address >> c->line_shift);
		else if (e->options->by == EXACT_BY_OBJECT)
			key = key_of_data(p, exact_object_key(p, address, site));
		outcome = sim_curve_access(c, address, STREAM_SIZE(entries[i]));
		if (key == UINT64_MAX || sim_keys_add(&p->keys, key, &outcome) != 0)
			return -1;
	}
	return 0;
}

static uint32_t count_accesses(const uint64_t *entries, uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += STREAM_KIND(entries[i]) != 0;
	return n;
}

static void on_stream(struct exact *e, struct exact_process *p, const struct record_header *h)
{
	const struct record_stream *s = (const void *)h;
	const uint64_t *entries = record_stream_entries(s);
	uint32_t accesses = count_accesses(entries, s->count);
	unsigned first = 0;

	p->accesses += accesses;
	e->accesses += accesses;
	if (p->curves[0].memory == NULL)
		return;
	if (e->options->by != EXACT_BY_NOTHING) {
		first = 1;
		if (simulate_by_key(e, p, entries, s->count) != 0)
			e->failed = true;
	}
	for (unsigned i = first; i < e->options->line_count; i++)
		simulate(p, &p->curves[i], entries, s->count);
	for (unsigned i = 0; i < e->options->line_count; i++)
		if (sim_curve_failed(&p->curves[i]))
			e->failed = true;
}

static void on_record(void *context, uint32_t order, const struct record_header *h)
{
	static void (*const handlers[])(struct exact * e, struct exact_process * p,
					const struct record_header *h) = {
		[RECORD_MODULE] = on_module, [RECORD_UNMAP] = on_unmap,
		[RECORD_LOCALS] = on_locals,
		[RECORD_END] = on_end,	     [RECORD_SITE] = on_site,
		[RECORD_STREAM] = on_stream, [RECORD_MESSAGE] = on_message,
	};
	struct exact *e = context;
	struct exact_process *p;

	if (e->failed)
		return;
	if (h->type == RECORD_PROCESS) {
		on_process(e, h);
		return;
	}
	p = find_process(e, order);
	if (p != NULL && h->type < sizeof(handlers) / sizeof(handlers[0]) &&
	    handlers[h->type] != NULL)
		handlers[h->type](e, p, h);
}

/* ---- The run ---- */

int exact_init(struct exact *e, const struct exact_options *options, struct err *err)
{
	*e = (struct exact){.options = options, .symbols = symbols_new()};
	return e->symbols != NULL ? 0 : err_set(err, "out of memory");
}

void exact_release(struct exact *e)
{
	for (size_t i = 0; i < e->processes.count; i++)
		free_process(e->processes.items[i]);
	free(e->processes.items);
	symbols_free(e->symbols);
	arena_release(&e->strings);
	*e = (struct exact){0};
}

int exact_run(struct exact *e, struct collector_result *result, struct err *err)
{
	struct collector_options run = e->options->run;

	run.output = NULL;
	run.config.gear = CHANNEL_GEAR_STREAM;
	run.config.stream_marks = e->options->by == EXACT_BY_CODE     ? STREAM_MARK_PC
				  : e->options->by == EXACT_BY_OBJECT ? STREAM_MARK_SITE
								      : 0;
	run.config.objects = e->options->by == EXACT_BY_OBJECT;
	if (run.slot_count == 0)
		run.slot_count = SLOTS;
	if (run.ring_bytes == 0)
		run.ring_bytes = RING_BYTES;
	run.sink = (struct collector_sink){e, on_record};
	if (collector_run(&run, result, err) != 0)
		return -1;
	for (size_t i = 0; i < e->processes.count; i++)
		for (unsigned k = 0; k < e->options->line_count; k++)
			if (e->processes.items[i]->curves[k].memory != NULL)
				sim_curve_sum(&e->processes.items[i]->curves[k]);
	return 0;
}

const struct exact_process *exact_chosen(const struct exact *e)
{
	const struct exact_process *best = NULL;

	if (e->options->process >= 0)
		return find_process(e, (uint32_t)e->options->process);
	for (size_t i = 0; i < e->processes.count; i++)
		if (best == NULL || e->processes.items[i]->accesses > best->accesses)
			best = e->processes.items[i];
	return best;
}
