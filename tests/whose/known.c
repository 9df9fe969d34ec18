/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data structures whose misses are known to the last one: nothing else touches memory, but for the
 * line of the stack that the call of `run` uses. known.py derives the numbers.
 *
 * FIGHT: two arrays of 32 KB, 32 KB apart, are multiplied 100 times.
 * APART: the same, 64 KB apart.
 * LIST: a stream of 1 MB and a list of 2 MB in nodes of 128 bytes are read in turns, 10 times.
 * TABLE: with each node the next cell of a table of 4 KB.
 */
enum { CELLS = 4096, ROUNDS = 100, NODES = 16384, ENTRIES = 512, STREAM = 131072, TURNS = 10 };

void run(void);
void _start(void);

static unsigned char own_stack[4096] __attribute__((aligned(4096), used));

__attribute__((naked, noreturn)) void _start(void)
{
	__asm__ volatile(".cfi_undefined rip\n\t"
			 "lea own_stack+4096(%rip), %rsp\n\t"
			 "call run\n\t"
			 "mov $60, %eax\n\t"
			 "xor %edi, %edi\n\t"
			 "syscall");
}

#if defined(FIGHT) || defined(APART)
#ifdef APART
#define PITCH 65536
#else
#define PITCH 32768
#endif
static double left[CELLS] __attribute__((aligned(PITCH)));
static double right[CELLS] __attribute__((aligned(PITCH)));

void run(void)
{
	double sum = 0;

	for (int i = 0; i < CELLS; i++) {
		left[i] = i;
		__asm__ volatile("" ::: "memory"); /* in this order */
		right[i] = i;
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < CELLS; i++) {
			sum += left[i] * right[i];
			__asm__ volatile("" : "+x"(sum)); /* each round anew, one by one */
		}
}
#else
struct node {
	struct node *next;
	long unused[7];
	long value; /* in its second line */
	long more[7];
};

static struct node nodes[NODES] __attribute__((aligned(1 << 21)));
extern double stream[];
double stream[STREAM] __attribute__((aligned(4096)));
#ifdef TABLE
extern long table[];
long table[ENTRIES] __attribute__((aligned(4096)));
#endif

void run(void)
{
	double sum = 0;
	long all = 0;

	for (int i = 0; i < NODES; i++) {
		nodes[i].next = &nodes[(i + 7919) % NODES];
		nodes[i].value = i;
	}
	for (int turn = 0; turn < TURNS; turn++) {
		const struct node *n = nodes;

		for (int i = 0; i < STREAM; i++) {
			sum += stream[i];
			__asm__ volatile("" : "+x"(sum)::"memory");
		}
		for (int i = 0; i < NODES; i++, n = n->next) {
			all += n->value;
#ifdef TABLE
			all += table[i % ENTRIES];
#endif
			__asm__ volatile("" : "+r"(all)::"memory");
		}
	}
}
#endif
