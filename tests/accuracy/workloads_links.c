/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that follow links, look up keys and allocate small blocks; see workloads.h. */
#include "workloads.h"

struct block {
	struct block *next;
	uint64_t value;
};

static uint64_t walk(volatile struct block *list)
{
	uint64_t sum = 0;

	for (; list != NULL; list = list->next)
		sum += list->value;
	return sum;
}

/* Two lists whose blocks of 32 bytes lie in turn: one is walked each round, one each fifth. */
static uint64_t small_blocks(uint64_t count, uint64_t rounds)
{
	struct block *often = NULL, *seldom = NULL;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 2 * count; i++) {
		struct block *block = allocate(sizeof(*block));
		struct block **list = i % 2 ? &often : &seldom;

		*block = (struct block){.next = *list, .value = i};
		*list = block;
	}
	for (uint64_t round = 0; round < rounds; round++)
		sum += walk(often) + (round % 5 == 4 ? walk(seldom) : 0);
	return sum;
}

enum { CHILDREN = 16 };

struct tree_node {
	uint64_t keys[CHILDREN];
	struct tree_node *children[CHILDREN];
};

static struct tree_node *make_tree(struct tree_node **pool, uint64_t depth, uint64_t low,
				   uint64_t span)
{
	struct tree_node *node = (*pool)++;

	for (uint64_t i = 0; i < CHILDREN; i++) {
		node->keys[i] = low + i * (span / CHILDREN);
		node->children[i] =
			depth == 0 ? NULL
				   : make_tree(pool, depth - 1, node->keys[i], span / CHILDREN);
	}
	return node;
}

/* Look-ups in a tree of nodes of 256 bytes: its depth, look-ups, a quarter of them in a tenth. */
static uint64_t tree(uint64_t depth, uint64_t look_ups)
{
	uint64_t nodes = ((1ull << 4 * (depth + 1)) - 1) / 15, span = 1ull << (4 * depth + 12),
		 sum = 0;
	struct tree_node *pool = allocate(nodes * sizeof(*pool)),
			 *root = make_tree(&pool, depth, 0, span);

	while (look_ups-- > 0) {
		uint64_t key = random_below(look_ups % 4 ? span : span / 10);

		for (const volatile struct tree_node *node = root; node != NULL;) {
			uint64_t low = 0, high = CHILDREN;

			while (high - low > 1) {
				uint64_t middle = (low + high) / 2;

				if (node->keys[middle] <= key)
					low = middle;
				else
					high = middle;
			}
			sum += node->keys[low];
			node = node->children[low];
		}
	}
	return sum;
}

struct search_node {
	uint64_t key, uses;
	struct search_node *sides[2];
};

/* A binary search tree of allocated nodes: insertions of keys below a limit. */
static uint64_t search_tree(uint64_t limit, uint64_t insertions)
{
	struct search_node *root = NULL;
	uint64_t sum = 0;

	while (insertions-- > 0) {
		uint64_t key = random_below(limit);
		struct search_node **at = &root;

		while (*at != NULL && (*at)->key != key)
			at = &(*at)->sides[(*at)->key < key];
		if (*at == NULL) {
			*at = allocate_zeros(sizeof(**at));
			(*at)->key = key;
		}
		sum += ++(*at)->uses;
	}
	return sum;
}

struct graph {
	uint32_t *first, *targets;
};

/* Of each node's eight arcs a quarter lead to 64 hubs, the others rather to low numbers. */
static struct graph make_graph(uint64_t nodes)
{
	struct graph g = {allocate((nodes + 1) * 4), allocate(nodes * 8 * 4)};

	for (uint64_t i = 0; i < nodes; i++) {
		g.first[i] = (uint32_t)(i * 8);
		for (uint64_t k = 0; k < 8; k++) {
			uint64_t at = random_below(nodes);

			g.targets[i * 8 + k] = (uint32_t)(k < 2 ? at % 64 : at * at / nodes);
		}
	}
	g.first[nodes] = (uint32_t)(nodes * 8);
	return g;
}

static uint64_t breadth_first(const struct graph *g, uint64_t nodes, uint32_t *queue,
			      uint32_t *distance)
{
	uint64_t head = 0, tail = 1;

	memset(distance, 0xff, nodes * sizeof(*distance));
	queue[0] = (uint32_t)random_below(nodes);
	distance[queue[0]] = 0;
	while (head < tail) {
		uint32_t from = queue[head++];

		for (uint32_t k = g->first[from]; k < g->first[from + 1]; k++) {
			uint32_t to = g->targets[k];

			if (distance[to] == UINT32_MAX) {
				distance[to] = distance[from] + 1;
				queue[tail++] = to;
			}
		}
	}
	return tail + distance[queue[tail - 1]];
}

/* Breadth-first searches and page ranks on a graph with hubs: nodes, rounds of both. */
static uint64_t graph(uint64_t nodes, uint64_t rounds)
{
	struct graph g = make_graph(nodes);
	uint32_t *queue = allocate(nodes * 4), *distance = allocate(nodes * 4);
	double *rank = allocate_zeros(nodes * 8), *next = allocate_zeros(nodes * 8);
	uint64_t sum = 0;

	for (uint64_t round = 0; round < rounds; round++) {
		double *old = rank;

		sum += breadth_first(&g, nodes, queue, distance);
		for (uint64_t i = 0; i < nodes; i++)
			next[i] = 0.15;
		for (uint64_t i = 0; i < nodes; i++)
			for (uint32_t k = g.first[i]; k < g.first[i + 1]; k++)
				next[g.targets[k]] += rank[i] * 0.1;
		rank = next;
		next = old;
	}
	return sum + (uint64_t)(1000 * rank[5]);
}

/* A hash join: rows of the built table (a power of two), rows that look up. */
static uint64_t join(uint64_t rows, uint64_t look_ups)
{
	struct row {
		uint64_t key, value;
	};
	uint64_t slots = rows * 2, matches = 0;
	struct row *left = allocate(rows * sizeof(*left)),
		   *table = allocate(slots * sizeof(*table));
	uint64_t *right = allocate(look_ups * 8), *out = allocate(look_ups * 8);

	for (uint64_t i = 0; i < rows; i++)
		left[i] = (struct row){1 + random_below(rows * 2), i};
	for (uint64_t i = 0; i < look_ups; i++)
		right[i] = 1 + random_below(rows * 2);
	for (uint64_t part = 0; part < 4; part++) {
		memset(table, 0, slots * sizeof(*table));
		for (uint64_t i = 0; i < rows; i++) {
			uint64_t at = left[i].key * 0x9e3779b97f4a7c15ull % slots;

			while (table[at].key != 0)
				at = (at + 1) % slots;
			table[at] = left[i];
		}
		for (uint64_t i = part * look_ups / 4; i < (part + 1) * look_ups / 4; i++) {
			uint64_t at = right[i] * 0x9e3779b97f4a7c15ull % slots;

			while (table[at].key != 0 && table[at].key != right[i])
				at = (at + 1) % slots;
			if (table[at].key != 0)
				out[matches++] = table[at].value;
		}
	}
	return matches;
}

struct entry {
	struct entry *newer, *older, *chain;
	uint64_t key;
};

static void unlink_entry(struct entry *e)
{
	e->older->newer = e->newer;
	e->newer->older = e->older;
}

/* A program's own cache, least recently used out: entries, requests, rather for low keys. */
static uint64_t own_cache(uint64_t entries, uint64_t requests)
{
	struct entry ends = {&ends, &ends, NULL, 0},
		     **table = allocate_zeros(entries * sizeof(*table));
	uint64_t hits = 0, held = 0;

	while (requests-- > 0) {
		uint64_t key = random_below(entries * 4) * (random_below(1 << 20) + 1) >> 20;
		struct entry **at = &table[key * 0x9e3779b97f4a7c15ull % entries], *e;

		while (*at != NULL && (*at)->key != key)
			at = &(*at)->chain;
		if ((e = *at) != NULL) {
			hits++;
			unlink_entry(e);
		} else {
			e = *at = allocate(sizeof(*e));
			e->chain = NULL;
			e->key = key;
			held++;
		}
		e->older = &ends;
		e->newer = ends.newer;
		ends.newer->older = e;
		ends.newer = e;
		if (held > entries) {
			struct entry *oldest = ends.older;

			at = &table[oldest->key * 0x9e3779b97f4a7c15ull % entries];
			while (*at != oldest)
				at = &(*at)->chain;
			*at = oldest->chain;
			unlink_entry(oldest);
			free(oldest);
			held--;
		}
	}
	return hits;
}

/* Groups of numbers that are joined at random: numbers, joins. */
static uint64_t unions(uint64_t count, uint64_t joins)
{
	uint32_t *up = allocate(count * sizeof(*up));
	uint64_t groups = count;

	for (uint64_t i = 0; i < count; i++)
		up[i] = (uint32_t)i;
	while (joins-- > 0) {
		uint32_t ends[2];

		for (int side = 0; side < 2; side++) {
			uint32_t at = (uint32_t)random_below(count);

			while (up[at] != at)
				at = up[at] = up[up[at]];
			ends[side] = at;
		}
		up[ends[0]] = ends[1];
		groups -= ends[0] != ends[1];
	}
	return groups;
}

struct message {
	struct message *next;
	uint64_t words[9];
};

/* A queue of allocated messages that grows to the first number and shrinks again, and rounds. */
static uint64_t queue(uint64_t longest, uint64_t rounds)
{
	struct message *first = NULL, **last = &first;
	uint64_t length = 0, sum = 0;

	for (uint64_t step = 0; step < rounds * longest; step++) {
		uint64_t in_round = step % longest,
			 wanted = in_round < longest / 2 ? in_round : longest - in_round;

		for (int k = 0; k < 2 || length <= wanted; k++) {
			struct message *m = allocate(sizeof(*m));

			for (uint64_t i = 0; i < 9; i++)
				m->words[i] = step + i;
			m->next = NULL;
			*last = m;
			last = &m->next;
			length++;
		}
		while (length > wanted + 1) {
			struct message *m = first;

			for (uint64_t i = 0; i < 9; i++)
				sum += m->words[i];
			first = m->next;
			free(m);
			length--;
		}
	}
	return sum;
}

int main(int argc, char **argv)
{
	static const struct workload all[] = {
		{"small_blocks", small_blocks},
		{"tree", tree},
		{"search_tree", search_tree},
		{"graph", graph},
		{"join", join},
		{"own_cache", own_cache},
		{"unions", unions},
		{"queue", queue},
	};

	return run_workload(all, sizeof(all) / sizeof(all[0]), argc, argv);
}
