/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When sampling windows come: the place of each in the process's count of accesses, and the least
 * time until then, so that a timer can call shortly before. Opens nothing and stops nobody;
 * sampler.c does.
 *
 * All functions need the lock of collect.h, except where the comment says otherwise.
 */
#ifndef DWELL_ENGINE_SAMPLE_PACING_H
#define DWELL_ENGINE_SAMPLE_PACING_H

#include <stdbool.h>
#include <stdint.h>

/* State of a process. Counts are its accesses, times are CLOCK_MONOTONIC. */
struct pacing {
	uint64_t start, end;		   /* of the open window, or of the next */
	uint64_t period_start, period_end; /* the period that the window stands for */
	uint64_t interval;		   /* mean accesses between two chosen ones */
	/* 1024ths of an access chosen for each sample kept, recent mean */
	uint64_t chosen_for;
	uint64_t left_out; /* while sampling was off */
	/* accesses without left_out, already added to those of the run */
	uint64_t told;
	uint64_t paused_at; /* when sampling was last turned off */
	uint64_t closed;    /* windows */
	uint64_t closed_at; /* access count at or shortly before the last close */
	uint64_t rng;
	uint64_t rate; /* accesses a millisecond, the highest of many windows */
	uint64_t seen_total, seen_paced, seen_ns; /* at the last measurement of the rate */
	/* a stretch too short to time; grows when windows are missed, up to near_most */
	uint64_t near_ns, near_most;
	uint64_t asked_ns; /* requested of the timer since then; 0: nothing */
	uint64_t extra_ns; /* recent minimum of a call's time beyond the requested one */
	uint64_t stuck_ns; /* added while calls come before any access was made */
};

/* A process begins, or a forked child: no window yet. */
void pacing_start(struct pacing *p, uint64_t seed);
/* Choose the next window, in the next period. */
void pacing_next(struct pacing *p);
/*
 * The process has passed the window's beginning, as it ran faster than expected. Choose a window
 * ahead of `total`, or one of which less than half is past: in the rest of the period, or else in
 * the next one. Then it stands for the skipped periods, too.
 */
void pacing_pass_over(struct pacing *p, uint64_t total);
/* The ring has no room for the chosen window: choose the next, which also stands for its period. */
void pacing_leave_out(struct pacing *p);
/* The window opens at `total`; if that is late, all of it moves. */
void pacing_open(struct pacing *p, uint64_t total);
/*
 * The window chose `chosen` accesses and kept `samples` samples. Sets how many the next one
 * chooses, so that it keeps about as many as configured.
 */
void pacing_saw(struct pacing *p, uint64_t chosen, uint64_t samples);
/* The window has closed; the rate is measured from here on, as windows run slowly. */
void pacing_close(struct pacing *p, uint64_t total, uint64_t paced);

/*
 * Sampling is turned off, with no window open; and on again: the plan moves by the accesses
 * between.
 */
void pacing_pause(struct pacing *p, uint64_t total);
void pacing_resume(struct pacing *p, uint64_t total);

/*
 * Measure the rate, if enough time has passed. `paced`: all accesses so far except those of long
 * string instructions. These are tens of times as fast as others, but windows inside them are found
 * at any speed.
 */
void pacing_look(struct pacing *p, uint64_t total, uint64_t paced);
/* Is `total` plausible, by the last measured count and the time since? No lock. */
bool pacing_believes(const struct pacing *p, uint64_t total, uint64_t now);
/* Is the beginning of the window too near to be timed? */
bool pacing_is_near(const struct pacing *p, uint64_t total);
/*
 * Nanoseconds until the thread must be called again, so that no window begins earlier, unless the
 * process runs faster than recently. `alone`: it has no other threads.
 */
uint64_t pacing_wait(struct pacing *p, uint64_t total, bool alone);
/* Nanoseconds until the open window must be over; its threads mostly end it before. */
uint64_t pacing_wait_for_end(const struct pacing *p, uint64_t total);

#endif
