/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records to rows: one function per record type, in a table. */
#include "collector/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/text.h"
#include "collector/naming/block_types.h"
#include "collector/record_check.h"
#include "collector/recorder_parts.h"
#include "sim/plan/asks.h"

/* A broken target can fill only bounded memory. */
/* modules, regions and thread-local variables of all forked processes */
#define MAX_INHERITED ((size_t)2000000)
#define MAX_LOCATIONS ((size_t)1 << 24) /* code locations of a process */
#define MAX_PATH      4096
#define MAX_COMMAND   ((size_t)64 << 10) /* bytes; longer commands are cut */

/* The kinds of run that send a record: in other runs its handler has no data. */
enum run_kind {
	RUN_ANY = 1,
	RUN_SAMPLED = 2,
	RUN_SIMULATED = 4,
	RUN_GRAPH = 8, /* simulated, with a call graph */
	RUN_DATA = 16, /* simulated, with misses by data structure */
	RUN_LINES = 32,
};

static unsigned kinds_of(const struct channel_config *config)
{
	if (config->mode == CHANNEL_MODE_LINES)
		return RUN_ANY | RUN_LINES;
	if (config->mode != CHANNEL_MODE_SIMULATE)
		return RUN_ANY | RUN_SAMPLED;
	return RUN_ANY | RUN_SIMULATED | (config->asks & SIM_ASK_NO_GRAPH ? 0 : RUN_GRAPH) |
	       (config->asks & SIM_ASK_DATA ? RUN_DATA : 0);
}

struct recorder *recorder_new(struct store *store, const struct channel_config *config)
{
	struct recorder *r = calloc(1, sizeof(*r));

	if (r != NULL)
		r->symbols = symbols_new();
	if (r == NULL || r->symbols == NULL) {
		free(r);
		return NULL;
	}
	r->store = store;
	r->run_kinds = kinds_of(config);
	r->line_bytes = config->line_bytes;
	memcpy(r->sites.allocators, config->allocators, sizeof(r->sites.allocators));
	r->next_module = r->next_site = r->next_path = r->next_image = 1;
	r->asks_names = config->mode != CHANNEL_MODE_COUNT && config->mode != CHANNEL_MODE_STREAM &&
			config->mode != CHANNEL_MODE_LINES;
	r->naming.has_data = r->asks_names &&
			     (config->mode != CHANNEL_MODE_SIMULATE || (r->run_kinds & RUN_DATA));
	if (config->mode == CHANNEL_MODE_SIMULATE) {
		note(r, simulation_begin(&r->simulation, config, store, &r->err));
		r->whose.levels = simulation_levels(config);
		r->whose.finds_conflicts = config->asks & SIM_ASK_CONFLICTS;
		r->naming.listener = recorder_on_names;
		r->naming.listener_context = r;
	}
	return r;
}

void recorder_free(struct recorder *r)
{
	size_t i;

	if (r == NULL)
		return;
	exact_release(r);
	for (i = 0; i < r->processes.count; i++) {
		code_map_release(&r->processes.items[i]->code);
		data_map_release(&r->processes.items[i]->data);
		regions_release(&r->processes.items[i]->regions);
		free(r->processes.items[i]);
	}
	free(r->processes.items);
	map_release(&r->by_order);
	arena_release(&r->strings);
	naming_release(&r->naming);
	sites_release(&r->sites);
	whose_release(&r->whose);
	simulation_release(&r->simulation);
	map_release(&r->paths);
	symbols_free(r->symbols);
	free(r);
}

static struct process *find_process(struct recorder *r, uint32_t order)
{
	uint64_t index;

	return map_get(&r->by_order, order, &index) ? r->processes.items[index] : NULL;
}

static void put_process(struct recorder *r, const struct process *p)
{
	note(r, store_put_process(r->store, &p->row, &r->err));
}

static void set_counters(struct process *p, const struct channel_counters *c)
{
	struct store_process *row = &p->row;

	p->counting_ns = c->counting_ns;
	p->sampling_ns = c->sampling_ns;
	p->translate_ns = c->translate_ns;
	row->accesses = c->accesses;
	row->loads = c->loads;
	row->stores = c->stores;
	row->instructions = c->instructions;
	row->rep_iterations = c->rep_iterations;
	row->vector_elements = c->vector_elements;
	row->watch_accesses = c->watch_accesses;
	row->translate_cycles = c->translate_cycles;
	row->scan_cycles = c->scan_cycles;
	row->engine_bytes = c->engine_bytes;
	row->data_until = c->data_until;
}

/* ---- Modules ---- */

static void put_module(struct recorder *r, const struct process *p, const struct code_module *m,
		       const char *path)
{
	struct store_module row = {
		.id = m->id,
		.process_id = p->row.id,
		.path = path,
		.build_id = symbols_build_id(r->symbols, m->file),
		.start = m->start,
		.end = m->end,
		.file_offset = m->file_offset,
		.mapped_at = m->mapped_at,
		.unmapped_at = m->unmapped_at,
	};

	note(r, store_put_module(r->store, &row, &r->err));
}

/* Give the module an id and store it; a repeated report counts once. */
static void add_module(struct recorder *r, struct process *p, const struct code_module *m)
{
	const uint64_t position = m->mapped_at;
	size_t index;

	switch (code_map_map(&p->code, m, &index)) {
	case CODE_NO_MEMORY:
		out_of_memory(r);
		return;
	case CODE_TOO_MANY:
		recorder_report_limit(r, p, LIMIT_MODULES);
		return;
	case CODE_IS_MAPPED:
		return;
	case CODE_NEW:
		p->code.modules.items[index].id = r->next_module++;
		break;
	case CODE_AGAIN:
		break;
	}
	m = &p->code.modules.items[index];
	if (data_map_add(&p->data, r->symbols, m, index, position, &r->next_image) != 0)
		out_of_memory(r);
	put_module(r, p, m, symbols_path(r->symbols, m->file));
}

/* A forked child starts with its parent's mappings, and with its names for memory. */
static void inherit(struct recorder *r, struct process *child, const struct process *parent)
{
	size_t i;

	r->inherited += parent->code.modules.count + parent->data.count + parent->regions.count;
	if (r->inherited > MAX_INHERITED) {
		recorder_report_limit(r, child, LIMIT_INHERITED);
		return;
	}
	for (i = 0; i < parent->code.modules.count; i++) {
		struct code_module m = parent->code.modules.items[i];

		if (m.unmapped_at != UINT64_MAX)
			continue;
		m.mapped_at = 0;
		add_module(r, child, &m);
	}
	if (data_map_inherit_locals(&child->data, &parent->data, &r->next_image) != 0 ||
	    regions_inherit(&child->regions, &parent->regions, child->row.id, &r->next_site) != 0)
		out_of_memory(r);
	if (!r->failed)
		note(r, regions_write_all(&child->regions, r->store, &r->err));
}

static const char *on_module(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_module *rec = (const void *)h;
	struct code_module m;

	if (code_module_read(&m, r->symbols, rec) != 0) {
		out_of_memory(r);
		return NULL;
	}
	if (symbols_is_dump(record_module_path(rec)))
		symbols_runtime_dump(r->symbols, recorder_made_code(r, p), m.file);
	if (r->asks_names)
		naming_expect(&r->naming, r->symbols, m.file);
	add_module(r, p, &m);
	return NULL;
}

static const char *on_locals(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_locals *l = (const void *)h;

	size_t module = code_map_find_module(&p->code, l->code, l->position);

	if (module != CODE_NO_MODULE &&
	    data_map_add_locals(&p->data, p->row.id, p->code.modules.items[module].file, l->start,
				l->end, l->position, &r->naming.data, &r->next_image) != 0)
		out_of_memory(r);
	return NULL;
}

static const char *on_unmap(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_unmap *u = (const void *)h;
	size_t i;

	for (i = 0; i < p->code.modules.count; i++) {
		const struct code_module *m = &p->code.modules.items[i];

		/* A partly unmapped module stays, which is harmless: no code runs in the hole. */
		if (m->unmapped_at != UINT64_MAX || m->start < u->start || m->end > u->end)
			continue;
		code_map_unmap(&p->code, i, u->position);
		data_map_remove(&p->data, i, u->position);
		put_module(r, p, m, symbols_path(r->symbols, m->file));
	}
	return NULL;
}

/* ---- Processes and threads ---- */

static const char *const cause_names[] = {"start", "fork", "exec"};

/* The strings are the path and the arguments. A forked process sends none and gets its parent's. */
static void set_strings(struct recorder *r, struct process *p, const struct record_process *rec,
			const struct process *parent)
{
	const char *s = record_process_strings(rec), *end = s + rec->string_bytes;
	struct text command = {0};

	/* Paths are limited by the kernel. Commands may have megabytes of arguments. */
	p->row.exe = strlen(s) < MAX_PATH ? arena_strdup(&r->strings, s) : "?";
	for (s += strlen(s) + 1; s < end && command.count < MAX_COMMAND; s += strlen(s) + 1) {
		if (command.count > 0)
			text_add(&command, " ");
		text_add(&command, s);
	}
	if (command.count > MAX_COMMAND) {
		command.count = MAX_COMMAND;
		text_add(&command, "...");
	}
	if (command.count == 0 && parent != NULL)
		p->row.command = arena_strdup(&r->strings, parent->row.command);
	else
		p->row.command = arena_strdup(&r->strings, text_get(&command));
	text_release(&command);
	if (p->row.exe == NULL || p->row.command == NULL)
		out_of_memory(r);
}

/* End the replaced image only now: until its new image begins, an exec may still fail. */
static void begin_exact(struct recorder *r, struct process *p, const struct record_process *rec)
{
	struct process *replaced = rec->cause == 2 ? find_process(r, rec->parent) : NULL;

	if (replaced != NULL)
		exact_end(r, replaced);
	exact_begin(r, p);
}

static const char *on_process(struct recorder *r, const struct record_header *h)
{
	const struct record_process *rec = (const void *)h;
	struct process *p, *parent;

	if (find_process(r, rec->order) != NULL)
		return "a process that began twice";
	p = calloc(1, sizeof(*p));
	if (p == NULL || !ARRAY_GROW(&r->processes) ||
	    map_set(&r->by_order, rec->order, r->processes.count) != 0) {
		free(p);
		out_of_memory(r);
		return "no memory for one more process";
	}
	r->processes.items[r->processes.count++] = p;
	p->row.id = rec->order;
	p->row.pid = rec->pid;
	p->row.parent_id = rec->parent == UINT32_MAX ? STORE_NONE : (int64_t)rec->parent;
	p->row.cause = cause_names[rec->cause];
	p->row.state = "running";
	p->row.exit_status = STORE_NONE;
	p->row.start_ns = rec->time_ns;
	parent = rec->cause == 1 ? find_process(r, rec->parent) : NULL;
	set_strings(r, p, rec, parent);
	put_process(r, p);
	if (r->exact != NULL)
		begin_exact(r, p, rec);
	if (parent == NULL)
		return NULL;
	inherit(r, p, parent);
	return NULL;
}

static const char *on_thread(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_thread *t = (const void *)h;
	struct store_thread row = {
		.process_id = p->row.id,
		.index = t->index,
		.tid = t->tid,
		.accesses = t->accesses,
		.loads = t->loads,
		.stores = t->stores,
		.instructions = t->instructions,
	};

	note(r, store_put_thread(r->store, &row, &r->err));
	return NULL;
}

static const char *on_end(struct recorder *r, struct process *p, const struct record_header *h)
{
	static const char *const states[] = {
		[END_EXIT] = "exited",
		[END_EXEC] = "exec",
		[END_DETACHED] = "detached",
		[END_SIGNAL] = "killed",
	};
	const struct record_end *e = (const void *)h;

	p->has_end = true;
	p->row.told_end = 1;
	p->row.state = states[e->cause];
	p->row.signal = e->cause == END_SIGNAL ? e->status : 0;
	p->row.end_ns = e->time_ns;
	p->row.exit_status = e->cause == END_EXIT ? (int64_t)e->status : STORE_NONE;
	set_footprint(p, e->footprint_pages);
	recorder_set_far_lines(p, e->far_lines, e->far_line_weight);
	set_counters(p, &e->counters);
	put_process(r, p);
	if (r->exact != NULL && (e->cause == END_EXIT || e->cause == END_SIGNAL))
		exact_end(r, p);
	return NULL;
}

/* ---- Events of slots ---- */

static const struct {
	record_handler *handle;
	enum run_kind run;
} handlers[] = {
	[RECORD_MODULE] = {on_module, RUN_ANY},
	[RECORD_UNMAP] = {on_unmap, RUN_ANY},
	[RECORD_LOCALS] = {on_locals, RUN_ANY},
	[RECORD_THREAD] = {on_thread, RUN_ANY},
	[RECORD_WINDOW] = {recorder_on_window, RUN_SAMPLED},
	[RECORD_SAMPLE] = {recorder_on_sample, RUN_SAMPLED},
	[RECORD_FAR] = {recorder_on_far, RUN_SAMPLED},
	[RECORD_STACK_DISTANCE] = {recorder_on_stack_distance, RUN_SAMPLED},
	[RECORD_NESTED] = {recorder_on_nested, RUN_SAMPLED},
	[RECORD_SITE] = {recorder_on_site, RUN_ANY},
	[RECORD_SITE_COUNTS] = {recorder_on_site_counts, RUN_ANY},
	[RECORD_PATH] = {recorder_on_path, RUN_SAMPLED},
	[RECORD_REGION] = {recorder_on_region, RUN_ANY},
	[RECORD_MESSAGE] = {recorder_on_message, RUN_ANY},
	[RECORD_SEGMENT] = {recorder_on_segment, RUN_SIMULATED},
	[RECORD_NODE] = {recorder_on_node, RUN_GRAPH},
	[RECORD_ARC] = {recorder_on_arc, RUN_GRAPH},
	[RECORD_JUMP] = {recorder_on_jump, RUN_GRAPH},
	[RECORD_BIN] = {recorder_on_bin, RUN_DATA},
	[RECORD_EVICTION] = {recorder_on_eviction, RUN_DATA},
	[RECORD_STRETCH] = {recorder_on_stretch, RUN_SIMULATED},
	[RECORD_CONTRASTS] = {recorder_on_contrasts, RUN_SIMULATED},
	[RECORD_REFERENCES] = {recorder_on_references, RUN_DATA},
	[RECORD_PATTERN] = {recorder_on_pattern, RUN_DATA},
	[RECORD_STREAM] = {recorder_on_stream, RUN_ANY},
	[RECORD_LINES] = {recorder_on_lines, RUN_LINES},
	[RECORD_PROBES] = {recorder_on_probes, RUN_LINES},
	[RECORD_END] = {on_end, RUN_ANY},
};

/* Check a valid record: does it belong to this run, and is there room for it? */
static const char *check_run(const struct recorder *r, const struct process *p,
			     const struct record_header *h)
{
	if (handlers[h->type].run & ~r->run_kinds)
		return "a record that was not requested";
	return p->code.location_count < MAX_LOCATIONS ? NULL
						      : "records of more code than a program has";
}

const char *recorder_record(struct recorder *r, uint32_t order, const struct record_header *h)
{
	struct process *p;
	const char *why;

	if (r->failed)
		return NULL;
	if (h->type == RECORD_PROCESS)
		return on_process(r, h);
	p = find_process(r, order);
	if (p == NULL)
		return "a record of no process";
	why = check_run(r, p, h);
	if (why != NULL)
		return why;
	if (p->has_end && h->type != RECORD_END) { /* the exec failed: the process continues */
		p->has_end = false;
		p->row.state = "running";
		p->row.end_ns = 0;
		p->row.told_end = 0;
	}
	return handlers[h->type].handle(r, p, h);
}

const char *recorder_gone(struct recorder *r, uint32_t order, enum slot_farewell how,
			  const char *why, const struct slot_counts *counts)
{
	static const char *const states[] = {
		[SLOT_ENDED] = "exited",
		[SLOT_KILLED] = "killed",
		[SLOT_NONSENSE] = "detached",
		[SLOT_LEFT_OVER] = "detached",
	};
	struct process *p = find_process(r, order);

	if (p == NULL || r->failed)
		return NULL;
	if (!p->has_end) {
		p->row.state = states[how];
		if (how != SLOT_LEFT_OVER)
			p->row.end_ns = clock_now_ns();
		if (how != SLOT_NONSENSE)
			set_counters(p, &counts->counters);
	}
	p->row.lost_records = counts->lost_records;
	put_process(r, p);
	return how == SLOT_NONSENSE ? recorder_refuse(r, p, why) : NULL;
}

void recorder_killed(struct recorder *r, uint32_t pid, int signal)
{
	for (size_t i = 0; i < r->processes.count && !r->failed; i++) {
		struct process *p = r->processes.items[i];

		if (p->row.pid != pid || p->row.signal != 0 || strcmp(p->row.state, "killed") != 0)
			continue;
		p->row.signal = signal;
		put_process(r, p);
	}
}

/*
 * A forked process has its parent's command until it sets its own title. A title may be cut: then
 * it is the beginning of the parent's command.
 */
static void look_at_title(struct process *p)
{
	char title[TITLE_BYTES];

	if (strcmp(p->row.cause, "fork") != 0 || !title_read(p->row.pid, title) ||
	    strncmp(title, p->row.command, strlen(title)) == 0)
		return;
	memcpy(p->title, title, sizeof(title));
	p->row.command = p->title;
}

void recorder_counts(struct recorder *r, uint32_t order, const struct slot_counts *counts)
{
	struct process *p = find_process(r, order);

	if (p == NULL || r->failed || p->has_end || p->row.accesses == counts->counters.accesses)
		return;
	look_at_title(p);
	set_counters(p, &counts->counters);
	p->row.lost_records = counts->lost_records;
	put_process(r, p);
}

static void write_simulation(struct recorder *r)
{
	struct simulation *s = &r->simulation;
	bool waits = false;

	if (s->events == 0)
		return;
	note(r, simulation_graph_write(&s->graph, s->events, &r->naming, r->symbols, r->store,
				       &waits, &r->err));
	if (!r->failed)
		note(r, simulation_write(s, r->store, &r->err));
	whose_write(r);
	s->has_news |= waits;
}

void recorder_step(struct recorder *r, uint64_t now_ns)
{
	if (!r->failed)
		note(r, naming_step(&r->naming, r->symbols, r->store, now_ns, &r->err));
	if (!r->failed && simulation_is_due(&r->simulation, now_ns))
		write_simulation(r);
}

bool recorder_pause(struct recorder *r, bool is_paused)
{
	return naming_pause(&r->naming, is_paused);
}

void recorder_forked(struct recorder *r)
{
	naming_forked(&r->naming);
	symbols_forked(r->symbols);
}

bool recorder_next_loss(const struct recorder *r, size_t *next, struct text *line)
{
	return symbols_next_loss(r->symbols, next, line);
}

uint64_t recorder_naming_cpu_ns(const struct recorder *r, uint64_t *ended)
{
	return symbols_cpu_ns(r->symbols, ended);
}

/* Free what only records need, to make room for the names. */
static void end_of_records(struct recorder *r)
{
	for (size_t i = 0; i < r->processes.count; i++)
		code_map_forget_locations(&r->processes.items[i]->code);
}

void recorder_resolve(struct recorder *r)
{
	end_of_records(r);
	if (!r->failed)
		note(r, naming_finish(&r->naming, r->symbols, r->store, &r->err));
	if (!r->failed)
		note(r, block_types_find(&r->sites, &r->naming, r->symbols, r->store, &r->err));
	if (!r->failed)
		note(r,
		     operands_find(&r->whose.operands, &r->naming, r->symbols, r->store, &r->err));
	if (!r->failed)
		write_simulation(r);
	if (!r->failed && r->exact != NULL)
		exact_write(r);
}

const struct err *recorder_failed(const struct recorder *r)
{
	return r->failed ? &r->err : NULL;
}

struct recorder_totals recorder_totals(const struct recorder *r)
{
	struct recorder_totals t = {
		.processes = r->processes.count,
		.samples = r->samples,
		.pieces = r->simulation.pieces,
		.windows = r->windows,
	};
	size_t i;

	for (i = 0; i < r->processes.count; i++) {
		t.accesses += r->processes.items[i]->row.accesses;
		t.lost_records += r->processes.items[i]->row.lost_records;
		t.counting_ns += r->processes.items[i]->counting_ns;
		t.sampling_ns += r->processes.items[i]->sampling_ns;
		t.translate_ns += r->processes.items[i]->translate_ns;
	}
	return t;
}

const char *recorder_first_message(const struct recorder *r)
{
	return r->first_message;
}
