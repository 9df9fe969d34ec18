/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When sampling windows come: a place for each in the process's count of
 * accesses, and how long the way there lasts at least, so that a timer can call
 * shortly before. Opens nothing and stops nobody; see sampler.c for that.
 *
 * All functions want the lock of collect.h, but where the comment says otherwise.
 */
#ifndef DWELL_ENGINE_SAMPLE_PACING_H
#define DWELL_ENGINE_SAMPLE_PACING_H

#include <stdbool.h>
#include <stdint.h>

#define PACING_REPORT_NS 50000000u /* threads show their counts at least so often */

/* Of a process. Counts are its accesses, times CLOCK_MONOTONIC. */
struct pacing {
	uint64_t start, end;		   /* of the open window, or of the next */
	uint64_t period_start, period_end; /* what the window stands for */
	uint64_t interval;		   /* mean accesses between those chosen in the window */
	uint32_t nested_one_in;		   /* of those, one of which is watched at all line sizes */
	/* so many 1024ths of an access for each sample kept, of late */
	uint64_t chosen_for;
	uint64_t left_out; /* while sampling was off */
	/* accesses, those aside, that the run has been told of */
	uint64_t told;
	uint64_t paused_at; /* when it was last switched off */
	uint64_t closed;    /* windows */
	uint64_t closed_at; /* the last one, or a little before */
	uint64_t rng;
	uint64_t rate; /* accesses a millisecond, the highest of many windows */
	uint64_t seen_total, seen_paced, seen_ns; /* when the rate was last looked at */
	/* a stretch too short to time: longer where windows are missed */
	uint64_t near_ns;
	uint64_t asked_ns; /* of the timer, since then; 0: nothing */
	uint64_t extra_ns; /* what a call takes beyond the time asked for, the least of late */
	uint64_t stuck_ns; /* and because calls came before any access was made */
};

/* A process begins, or a forked child: no window yet. */
void pacing_start(struct pacing *p, uint64_t seed);
/* Choose the next window, in the period that follows. */
void pacing_next(struct pacing *p);
/*
 * A burst of speed has run over the window's beginning: choose one that lies ahead of
 * `total`, or less than a part of itself behind it. It stands for the periods left out, too.
 */
void pacing_pass_over(struct pacing *p, uint64_t total);
/*
 * There is no room for what the chosen window would tell: choose the next, which stands for its
 * period, too.
 */
void pacing_leave_out(struct pacing *p);
/* The window opens: if it should have before, all of it is later. */
void pacing_open(struct pacing *p, uint64_t total);
/*
 * The window chose so many accesses, and kept the samples of so many: the next chooses as many as
 * it takes to keep about as many as the configuration says.
 */
void pacing_saw(struct pacing *p, uint64_t chosen, uint64_t samples);
/* The window has closed; the accesses and the time since the last look tell no rate. */
void pacing_close(struct pacing *p, uint64_t total, uint64_t paced);

/*
 * Sampling is switched off, no window being open, and on again: the plan moves by what lies
 * between.
 */
void pacing_pause(struct pacing *p, uint64_t total);
void pacing_resume(struct pacing *p, uint64_t total);

/*
 * Look at the rate, if enough time has passed: that of `paced` accesses so far, which are all but
 * those of long string instructions. These are tens of times as fast as others, but windows are
 * found in them whatever their speed.
 */
void pacing_look(struct pacing *p, uint64_t total, uint64_t paced);
/* Can `total` be, by what the process had counted when last looked at, and the time? No lock. */
bool pacing_believes(const struct pacing *p, uint64_t total, uint64_t now);
/* Is the beginning of the window too near to be timed? */
bool pacing_is_near(const struct pacing *p, uint64_t total);
/*
 * Nanoseconds after which the thread is to be called again, so that no window begins before
 * unless the process runs faster than lately. `alone`: it has no other threads.
 */
uint64_t pacing_wait(struct pacing *p, uint64_t total, bool alone);

#endif
