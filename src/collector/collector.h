/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run: starts the command under the engine, collects the records of its processes' engines, and
 * writes the profile. The run ends with the command; its remaining processes continue unprofiled.
 * `dwell stop` ends profiling earlier: then the profile is complete, and the collector waits for
 * the command.
 */
#ifndef DWELL_COLLECTOR_COLLECTOR_H
#define DWELL_COLLECTOR_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "channel/channel.h"
#include "store/events.h"

struct exact_options;

/* Gets every valid record as it arrives; the record lives for the call only. */
struct collector_sink {
	void *context;
	void (*on_record)(void *context, uint32_t order, const struct record_header *h);
};

struct collector_progress {
	uint64_t elapsed_ns;
	uint64_t processes;
	uint64_t accesses;
	uint64_t samples;
	uint64_t windows;
};

struct collector_options {
	char *const *command; /* NULL-ended, at least one */
	const char *output;   /* the profile to write; NULL: none, only the sink */
	const char *engine;   /* path of the engine; NULL: our own */
	struct channel_config config;
	/* derived events of a simulation; each has a formula */
	const struct store_event *derived;
	size_t derived_count;
	const struct exact_options *exact; /* exact curves, see exact_prepare; NULL: none */
	uint32_t slot_count;		   /* processes at one time; 0: 512 */
	uint64_t ring_bytes;		   /* a power of two; 0: 4 MB */
	struct collector_sink sink;	   /* on_record may be NULL */

	/*
	 * Messages for the user, each a line without a newline. A warning says that the profile is
	 * not as requested. `progress` reports on the run. Each may be NULL.
	 */
	void *context;
	void (*warning)(void *context, const char *line);
	/* of a program, or a file, that cannot be profiled, or read */
	void (*note)(void *context, const char *line);
	void (*notice)(void *context, const char *line);
	void (*progress)(void *context, const struct collector_progress *p);
};

enum collector_failure {
	COLLECTOR_NOT_FOUND,	  /* the command does not exist */
	COLLECTOR_NOT_EXECUTABLE, /* it cannot be executed */
	COLLECTOR_CANNOT_RUN,	  /* dwell itself failed */
	COLLECTOR_OUTPUT,	  /* the profile cannot be written */
};

struct collector_result {
	enum collector_failure failure; /* when collector_run returned -1 */
	bool has_run;			/* the command ran to its end, even if the profile failed */
	bool was_stopped;		/* profiling ended before the command, on request */
	bool was_cut_off;		/* the profile holds the beginning only: a full disk */
	bool was_native;		/* it could not be profiled, and ran natively */
	int wait_status;		/* of the command, see wait(2), if has_run */
	uint64_t processes;
	uint64_t accesses;
	uint64_t samples;
	uint64_t windows;
	uint64_t pieces;	 /* of code with simulated events */
	uint64_t lost_records;	 /* dropped because a ring was full */
	uint64_t lost_processes; /* not profiled because there was no slot */
	/* programs that ran unprofiled because no engine can run them, such as setuid ones */
	uint64_t native_programs;
	/*
	 * With a budget: CPU time of counting, and of sampling on top of it, as the engines
	 * estimate it.
	 */
	uint64_t counting_ns, sampling_ns;
	uint64_t translate_ns; /* part of it: translating the programs */
};

/* The default sampling: windows that grow with the run; docs/sampling.md has the figures. */
struct channel_config collector_default_config(void);

/*
 * Runs the command to its end. Returns 0, or -1 with *err and result->failure. If the command ran
 * but its profile could not be written in full, what was written stays: result->was_cut_off.
 * Installs signal handlers: the process can have one run at a time.
 */
int collector_run(const struct collector_options *o, struct collector_result *result,
		  struct err *err);

#endif
