/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the recorder. */
#ifndef DWELL_COLLECTOR_RECORDER_PARTS_H
#define DWELL_COLLECTOR_RECORDER_PARTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/map.h"
#include "channel/channel.h"
#include "collector/naming/code_map.h"
#include "collector/naming/data_map.h"
#include "collector/naming/naming.h"
#include "collector/naming/regions.h"
#include "collector/naming/sites.h"
#include "collector/simulation/exact.h"
#include "collector/simulation/simulation.h"
#include "collector/simulation/whose.h"
#include "collector/title.h"
#include "symbols/symbols.h"

/* A process of the run. */
struct process {
	struct store_process row;
	struct code_map code;
	struct data_map data;
	bool has_end; /* a RECORD_END arrived: the counts are final */
	uint64_t counting_ns, sampling_ns, translate_ns;
	struct regions regions;
	uint32_t reported_limits;    /* a bit for each enum recorder_limit */
	uint32_t nodes, arcs, jumps; /* counts of its call graph */
	uint32_t next_window;	     /* windows below are closed */
	uint64_t close;		     /* samples of the open window, see struct store_window */
	char title[TITLE_BYTES];     /* of a forked process that set its own title */
	struct exact_process *exact; /* NULL: no curves, or already written */
	int made_code; /* the symbols' number for code in no file; 0: not created yet */
};

struct recorder {
	struct store *store;
	struct symbols *symbols;
	struct {
		struct process **items;
		size_t count, room;
	} processes;
	struct map by_order; /* order -> index */
	struct arena strings;
	struct naming naming;
	struct sites sites;
	struct simulation simulation;
	struct exact *exact; /* NULL: the run has no exact curves */
	struct whose whose;
	int64_t next_module;
	int64_t next_site;
	int64_t next_image; /* see data_map.h */
	struct map paths;   /* process and its number of the path -> id in the store */
	int64_t next_path;
	uint64_t samples, windows, messages;
	size_t inherited; /* modules, regions and copies of variables of all forked processes */
	uint32_t reported_limits;
	const char *first_message;
	uint32_t line_bytes;
	unsigned run_kinds; /* accepted records, see recorder.c */
	bool asks_names;    /* for code: counting and streams need none */
	bool failed;
	struct err err;
};

/* Remembers failure: every put passes its `status` here. */
static inline void note(struct recorder *r, int status)
{
	if (status != 0)
		r->failed = true;
}

static inline void out_of_memory(struct recorder *r)
{
	if (!r->failed)
		err_set(&r->err, "out of memory");
	r->failed = true;
}

/* Keep the largest footprint. */
static inline void set_footprint(struct process *p, uint64_t pages)
{
	if (pages > p->row.footprint_pages)
		p->row.footprint_pages = pages;
}

/* Keep the latest numbers of far lines; a process without windows tells of none. */
void recorder_set_far_lines(struct process *p, const uint64_t lines[CHANNEL_FAR_SIZES],
			    const uint64_t weights[CHANNEL_FAR_SIZES]);

/* Handles a record. Returns NULL, or the record's fault, which ends its process's slot. */
typedef const char *record_handler(struct recorder *r, struct process *p,
				   const struct record_header *h);

/* Limits of a process, or of the run. */
enum recorder_limit {
	LIMIT_MODULES,
	LIMIT_REGIONS,
	LIMIT_INHERITED,
};

/* Report, once, that the process (or the run) reached its limit. */
void recorder_report_limit(struct recorder *r, struct process *p, enum recorder_limit limit);

/* Stop trusting the process. Returns a line for the user, or NULL. */
const char *recorder_refuse(struct recorder *r, struct process *p, const char *why);

/* The id of the code location, added if new; 0 when memory ran out. */
int64_t recorder_locate(struct recorder *r, struct process *p, uint64_t pc, uint64_t position);

record_handler recorder_on_site, recorder_on_site_counts, recorder_on_path, recorder_on_region;
record_handler recorder_on_segment, recorder_on_node, recorder_on_arc, recorder_on_jump;
record_handler recorder_on_bin, recorder_on_eviction, recorder_on_stretch, recorder_on_contrasts;
record_handler recorder_on_references;
record_handler recorder_on_pattern;
record_handler recorder_on_sample, recorder_on_far, recorder_on_nested, recorder_on_window;
record_handler recorder_on_message;
record_handler recorder_on_stack_distance, recorder_on_stream;
record_handler recorder_on_lines, recorder_on_probes;

/* The call graph's number of a process's node, from 1 on; 0: there is no such node. */
uint32_t simulation_graph_node(const struct recorder *r, const struct process *p, uint32_t number);

/*
 * For runs with exact curves: a process begins; it ends, and its curves are written; the run ends.
 */
void exact_begin(struct recorder *r, struct process *p);
void exact_end(struct recorder *r, struct process *p);
void exact_write(struct recorder *r);
void exact_release(struct recorder *r);

/* Listener of the naming: the location has its names now. */
int recorder_on_names(void *context, int64_t id, const struct symbols_frame *outermost,
		      struct err *err);

/* The symbols' number for the process's code in no file; -1 when memory ran out. */
int recorder_made_code(struct recorder *r, struct process *p);

#endif
