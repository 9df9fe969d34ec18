/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * particles loose|sorted: particles fly through the cells of a box and collide with what their cell
 * has seen last, as in MP3D of MemSpy's paper.
 *
 * The fault: particles lie in memory as they were born, so each one that moves finds another cell.
 * `dwell bins` has the cells first, in move. The cure, "sorted": every ten steps particles are
 * sorted by their cell, so that neighbours in memory share one.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTICLES = 300000, SIDE = 32, CELLS = SIDE * SIDE * SIDE, STEPS = 15, SORT_EACH = 10 };

struct particle {
	float at[3], speed[3];
	uint32_t cell, collisions;
};

struct cell {
	float speed[3]; /* of the last particle */
	uint32_t population, collisions;
	float momentum[3], energy, pad[7];
};

static struct particle *particles, *sorted;
static struct cell *cells;

static float draw(void)
{
	static uint64_t x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (float)(x >> 40) / (1 << 24);
}

/* Also turns the particle back at the walls. */
static inline uint32_t find_cell(struct particle *p)
{
	uint32_t cell = 0;

	for (int k = 0; k < 3; k++) {
		p->at[k] += p->speed[k];
		if (p->at[k] < 0 || p->at[k] >= SIDE) {
			p->speed[k] = -p->speed[k];
			p->at[k] = p->at[k] < 0 ? 0 : SIDE - 0.001f;
		}
		cell = cell * SIDE + (uint32_t)p->at[k];
	}
	return cell;
}

__attribute__((noinline)) static void move(void)
{
	for (int i = 0; i < PARTICLES; i++) {
		struct particle *p = &particles[i];
		struct cell *c = &cells[p->cell = find_cell(p)];

		c->population++;
		for (int k = 0; k < 3; k++) {
			const float middle = (p->speed[k] + c->speed[k]) / 2;

			c->momentum[k] += p->speed[k];
			c->energy += p->speed[k] * p->speed[k];
			c->speed[k] = p->speed[k] - 0.1f * middle;
		}
		if ((c->population & 7) == 0) {
			const float first =
				p->speed[0]; /* a collision turns it, and keeps its energy */

			p->speed[0] = p->speed[1];
			p->speed[1] = p->speed[2];
			p->speed[2] = first;
			p->collisions++;
			c->collisions++;
		}
	}
}

__attribute__((noinline)) static void sort(void)
{
	uint32_t *begin = calloc(CELLS + 1, sizeof(*begin));
	struct particle *old = particles;

	for (int i = 0; i < PARTICLES; i++)
		begin[particles[i].cell + 1]++;
	for (int c = 0; c < CELLS; c++)
		begin[c + 1] += begin[c];
	for (int i = 0; i < PARTICLES; i++)
		sorted[begin[particles[i].cell]++] = particles[i];
	particles = sorted;
	sorted = old;
	free(begin);
}

int main(int argc, char **argv)
{
	double energy = 0;

	if (argc != 2 || (strcmp(argv[1], "loose") != 0 && strcmp(argv[1], "sorted") != 0)) {
		fprintf(stderr, "usage: particles loose|sorted\n");
		return 2;
	}
	particles = malloc(PARTICLES * sizeof(*particles));
	sorted = malloc(PARTICLES * sizeof(*sorted));
	cells = calloc(CELLS, sizeof(*cells));
	for (int i = 0; i < PARTICLES; i++) {
		particles[i] = (struct particle){0};
		for (int k = 0; k < 3; k++) {
			particles[i].at[k] = draw() * SIDE;
			particles[i].speed[k] = (draw() - 0.5f) / 8;
		}
	}
	for (int step = 0; step < STEPS; step++) {
		if (strcmp(argv[1], "sorted") == 0 && step % SORT_EACH == 1)
			sort();
		move();
	}
	for (int i = 0; i < PARTICLES; i++)
		for (int k = 0; k < 3; k++)
			energy += particles[i].speed[k] * particles[i].speed[k];
	printf("energy %.3f\n", energy);
	return 0;
}
