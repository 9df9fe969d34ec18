/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gates apart|together [CYCLES]: an event-driven simulation of a random circuit, as PTHOR's in
 * MemSpy's paper. An element that changes schedules an event for each element that it feeds; a
 * wheel of time slots holds the events.
 *
 * The fault: the value of an element lies among its other members, 96 bytes, so to read a bit
 * costs a line, for each input of each evaluation. `dwell bins` has the elements first, in
 * eval_element. The cure, "apart": values and marks in an array of their own, two bytes each, which
 * fits a cache.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 200000, FANOUT = 2, SLOTS = 16, NEAR = 100000 };

enum operation { AND, OR, XOR, NAND };

struct state {
	uint8_t value, is_scheduled;
};

struct element {
	enum operation operation;
	uint32_t in[2];
	struct state state; /* "together" */
	uint32_t delay;
	uint64_t evaluations;
	char name[60];
};

struct event {
	struct event *next;
	uint32_t element;
};

static struct element *elements;
static struct state *states;  /* "apart", else NULL */
static uint32_t *first, *fed; /* element i feeds fed[first[i]] up to fed[first[i + 1]] */
static struct event *wheel[SLOTS], *free_events;
static uint32_t now;

static uint32_t draw(uint32_t limit)
{
	static uint64_t x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (uint32_t)((x >> 32) * limit >> 32);
}

static struct state *state_of(uint32_t i)
{
	return states != NULL ? &states[i] : &elements[i].state;
}

static void schedule(uint32_t i, uint32_t delay)
{
	struct event *e = free_events, **slot = &wheel[(now + delay) % SLOTS];

	if (e != NULL)
		free_events = e->next;
	else
		e = malloc(sizeof(*e));
	e->element = i;
	e->next = *slot;
	*slot = e;
}

/* Schedule what the element feeds. */
__attribute__((noinline)) static void stim_fan_out(uint32_t i)
{
	for (uint32_t k = first[i]; k < first[i + 1]; k++) {
		struct state *s = state_of(fed[k]);

		if (s->is_scheduled)
			continue;
		s->is_scheduled = true;
		schedule(fed[k], 1 + (fed[k] & 3));
	}
}

__attribute__((noinline)) static void eval_element(uint32_t i)
{
	const struct element *e = &elements[i];
	const uint8_t a = state_of(e->in[0])->value, b = state_of(e->in[1])->value;
	const uint8_t results[] = {a & b, a | b, a ^ b, !(a & b)};
	struct state *s = state_of(i);

	s->is_scheduled = false;
	if (s->value == results[e->operation])
		return;
	s->value = results[e->operation];
	stim_fan_out(i);
}

static void run_slot(void)
{
	struct event *e = wheel[now % SLOTS], *next;

	wheel[now % SLOTS] = NULL;
	for (; e != NULL; e = next) {
		next = e->next;
		eval_element(e->element);
		e->next = free_events;
		free_events = e;
	}
}

__attribute__((noinline)) static void make_circuit(void)
{
	uint32_t *at = calloc(ELEMENTS + 1, sizeof(*at));

	elements = calloc(ELEMENTS, sizeof(*elements));
	first = calloc(ELEMENTS + 1, sizeof(*first));
	fed = calloc(FANOUT * ELEMENTS, sizeof(*fed));
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		struct element *e = &elements[i];

		e->operation = (enum operation)draw(4);
		snprintf(e->name, sizeof(e->name), "gate %u", i);
		for (int k = 0; k < 2; k++) {
			e->in[k] = (i + ELEMENTS - 1 - draw(NEAR)) % ELEMENTS;
			first[e->in[k] + 1]++;
		}
	}
	for (uint32_t i = 0; i < ELEMENTS; i++)
		first[i + 1] += first[i];
	for (uint32_t i = 0; i < ELEMENTS; i++)
		for (int k = 0; k < 2; k++) {
			const uint32_t from = elements[i].in[k];

			fed[first[from] + at[from]++] = i;
		}
	free(at);
}

int main(int argc, char **argv)
{
	const int cycles = argc == 3 ? atoi(argv[2]) : 40;
	uint32_t ones = 0;

	if (argc < 2 || (strcmp(argv[1], "apart") != 0 && strcmp(argv[1], "together") != 0)) {
		fprintf(stderr, "usage: gates apart|together [CYCLES]\n");
		return 2;
	}
	make_circuit();
	if (strcmp(argv[1], "apart") == 0)
		states = calloc(ELEMENTS, sizeof(*states));
	for (int cycle = 0; cycle < cycles; cycle++) {
		for (int n = 0; n < 500; n++) {
			const uint32_t i = draw(ELEMENTS);

			state_of(i)->value ^= 1;
			stim_fan_out(i);
		}
		for (int step = 0; step < 8; step++, now++)
			run_slot();
	}
	for (uint32_t i = 0; i < ELEMENTS; i++)
		ones += state_of(i)->value;
	printf("%u of %d elements are on\n", ones, ELEMENTS);
	return 0;
}
