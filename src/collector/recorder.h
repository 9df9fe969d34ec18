/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the valid records of the processes of a run into rows of the store. After a failed write
 * (recorder_failed) nothing more is written, and the run continues.
 */
#ifndef DWELL_COLLECTOR_RECORDER_H
#define DWELL_COLLECTOR_RECORDER_H

#include "base/text.h"
#include "channel/channel.h"
#include "collector/target/slots.h"
#include "store/store.h"

struct exact_options;
struct recorder;

struct recorder_totals {
	uint64_t processes;
	uint64_t samples;
	uint64_t pieces; /* pieces of code with simulated events */
	uint64_t windows;
	uint64_t accesses; /* as reported by the processes */
	uint64_t lost_records;
	uint64_t counting_ns, sampling_ns, translate_ns; /* see struct channel_counters */
};

/*
 * The store remains the caller's. Returns NULL when memory ran out. `config`: the engines'
 * configuration.
 */
struct recorder *recorder_new(struct store *store, const struct channel_config *config);
/*
 * Simulate exact curves from streams; call it before the first record. Returns -1 when memory ran
 * out.
 */
int recorder_simulate(struct recorder *r, const struct exact_options *options);
void recorder_free(struct recorder *r);

/* The events of slots; slots.h says what they mean and return. */
const char *recorder_record(struct recorder *r, uint32_t order, const struct record_header *h);
/* Returns a line for the user, or NULL. The line lives as long as the recorder. */
const char *recorder_gone(struct recorder *r, uint32_t order, enum slot_farewell how,
			  const char *why, const struct slot_counts *counts);
void recorder_counts(struct recorder *r, uint32_t order, const struct slot_counts *counts);

/*
 * A waiting parent reports the signal that killed process `pid`. Does nothing if the engine did so
 * already, or no such process was killed.
 */
void recorder_killed(struct recorder *r, uint32_t pid, int signal);

/* Add a message to the profile that belongs to no process. */
void recorder_message(struct recorder *r, const char *text);

/* Call this regularly during the run: names some of the code locations. */
void recorder_step(struct recorder *r, uint64_t now_ns);

/*
 * Pause or resume the look-up of names. Returns whether the worker is idle, so that a child may be
 * forked.
 */
bool recorder_pause(struct recorder *r, bool is_paused);
/* Call this in the forked child. */
void recorder_forked(struct recorder *r);

/*
 * Name all code locations seen so far, with function, file and line, and the variables that samples
 * touched. Call it once. Takes as long as libdw does.
 */
void recorder_resolve(struct recorder *r);

/*
 * Append a sentence about the next file, from number *next on, that could not be read for names.
 * Returns false if there is none.
 */
bool recorder_next_loss(const struct recorder *r, size_t *next, struct text *line);

/* CPU time of the processes that read symbols; *ended: the part of those that were waited for. */
uint64_t recorder_naming_cpu_ns(const struct recorder *r, uint64_t *ended);

/* The first failure, or NULL. */
const struct err *recorder_failed(const struct recorder *r);
struct recorder_totals recorder_totals(const struct recorder *r);

/* The first message that an engine sent for the user to read, or NULL. */
const char *recorder_first_message(const struct recorder *r);

#endif
