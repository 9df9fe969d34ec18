# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that allocate in odd ways, for sites.py."""

ONE_LINE = r'''
#include <stdio.h>
#include <stdlib.h>
#define N 100000
int main(void)
{
	volatile char *a, *b, *c;
	a = malloc(N); b = malloc(2 * N); c = malloc(N);
	for (long i = 0; i < 30 * N; i++) {
		b[i * 5 % N]++, b[i * 7 % (2 * N)]++, c[i % N]++;
		if (i % 2)
			a[i % N]++;
	}
	puts("all checks held");
}
'''
ONE_LINE_AT = 8

# As runtimes do that are not C's: frame pointers and no descriptions of frames, memory straight
# from the kernel, and a thread whose stack lies amid it.
RUNTIME = r'''
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>

static volatile int runs = 1;

__attribute__((noinline)) static char *from_kernel(long bytes)
{
	register long flags __asm__("r10") = 0x22, file __asm__("r8") = -1, offset __asm__("r9") = 0;
	char *block, *volatile frame = __builtin_frame_address(0); /* or a leaf has none */

	(void)frame;
	__asm__ volatile("syscall" : "=a"(block) : "0"(SYS_mmap), "D"(0L), "S"(bytes), "d"(3L), "r"(flags),
			 "r"(file), "r"(offset) : "rcx", "r11", "memory");
	return block;
}

__attribute__((noinline)) static char *make_heap(long bytes)
{
	char *heap = from_kernel(bytes);

	heap[0] = 1;
	return heap;
}

int main(void)
{
	char *heap = make_heap(1 << 20);
	register volatile int *tid __asm__("r10") = &runs;
	long made;

	__asm__ volatile("syscall; test %%eax, %%eax; jnz 1f; push %%rax; mov $60, %%eax; xor %%edi, %%edi; syscall; 1:"
			 : "=a"(made)
			 : "0"(SYS_clone), "D"(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			   CLONE_SYSVSEM | CLONE_CHILD_CLEARTID), "S"(heap + (1 << 19)), "d"(0L), "r"(tid)
			 : "rcx", "r11", "memory");
	while (made > 0 && runs)
		sched_yield();
	puts("all checks held");
	return 0;
}
'''

# Memory from the kernel of each sort, walked, and some of it given back; a child has what is left.
MAPPINGS = r'''
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (64 << 10)
#define NOT_INLINED __attribute__((noinline)) static

NOT_INLINED char *file_mapping(int fd, int flags)
{
	char *mapped;

	if (ftruncate(fd, BYTES) != 0)
		return MAP_FAILED;
	mapped = mmap(0, BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);
	close(fd);
	return mapped;
}

NOT_INLINED char *by_shmat(void)
{
	int id = shmget(IPC_PRIVATE, BYTES - 5, 0600);
	char *mapped = shmat(id, 0, 0);

	shmctl(id, IPC_RMID, 0);
	return mapped;
}

NOT_INLINED char *by_shared(void)
{
	return mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

NOT_INLINED char *by_stack(void)
{
	return mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
}

NOT_INLINED char *by_memfd(void)
{
	return file_mapping(memfd_create("wheat", 0), MAP_SHARED);
}

NOT_INLINED char *by_file(const char *path, int flags)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	unlink(path);
	return file_mapping(fd, flags);
}

NOT_INLINED char *by_zero(void)
{
	int fd = open("/dev/zero", O_RDWR);
	char *mapped = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	close(fd);
	return mapped;
}

int main(int argc, char **argv)
{
	char *all[] = {by_shmat(), by_shmat(), by_shared(), by_stack(), by_memfd(), by_zero(),
		       by_file("barley \x1b.bin", MAP_PRIVATE), by_file(argv[argc - 1], MAP_SHARED)};
	int bad = shmdt(all[1]), status = 1;

	all[1] = all[0];
	for (int i = 0; i < 8; i++)
		bad |= all[i] == MAP_FAILED || all[i] == 0;
	if (!bad && fork() == 0) {
		for (int k = 0; k < BYTES; k++)
			for (int i = 0; i < 8; i++)
				all[i][k]++;
		_exit(0);
	}
	wait(&status);
	puts(bad || status ? "failed" : "all checks held");
	return 0;
}
'''

# Allocators that are not the C library's: an arena that takes all back at once, a pool, and one as
# Go's.
ALLOCATORS_OF_ITS_OWN = r'''
#include <cstdio>
#include <cstdlib>

#define NOT_INLINED __attribute__((noinline))

namespace zoo {
template <class T> struct Arena {
	char *base, *at;
	NOT_INLINED void *get(T bytes, int) { void *p = at; at += (bytes + 15) & ~15ul; return p; }
};
}

struct pool { void *unused; char *at; };

NOT_INLINED static void *pool_get(struct pool *p, long, unsigned long bytes)
{
	void *got = p->unused;

	if (got)
		p->unused = *(void **)got;
	else
		got = p->at, p->at += bytes;
	return got;
}

NOT_INLINED static void pool_put(struct pool *p, void *got)
{
	*(void **)got = p->unused;
	p->unused = got;
}

static char heap[1 << 20];
extern "C" char *bump_at;
char *bump_at = heap;
/* Size and result in rax, and a frame pointer. */
__asm__(".globl runtime.mallocgc; .type runtime.mallocgc, @function; runtime.mallocgc:"
	"push %rbp; mov %rsp, %rbp; mov bump_at@GOTPCREL(%rip), %rcx; mov (%rcx), %rdx;"
	"add %rdx, %rax; mov %rax, (%rcx); mov %rdx, %rax; pop %rbp; ret;"
	".size runtime.mallocgc, . - runtime.mallocgc");

NOT_INLINED static char *make(unsigned long bytes)
{
	char *p = (char *)bytes;

	__asm__ volatile("call runtime.mallocgc" : "+a"(p) : : "rcx", "rdx", "memory");
	return p;
}

NOT_INLINED static void *small_ones(zoo::Arena<unsigned long> *a) { return a->get(1000, 0); }
NOT_INLINED static void *large_ones(zoo::Arena<unsigned long> *a) { return a->get(64 << 10, 0); }

int main()
{
	zoo::Arena<unsigned long> a = {};
	struct pool p = {0, (char *)malloc(1 << 20)};
	long sum = 0;

	a.base = (char *)malloc(1 << 20);
	for (int round = 0; round < 20; round++) {
		a.at = a.base;
		char *small = (char *)small_ones(&a), *large = (char *)large_ones(&a);
		for (int k = 0; k < 64 << 10; k++)
			sum += large[k]++ + small[k % 1000]++;
	}
	for (int i = 0; i < 100; i++) {
		void *got = pool_get(&p, 0, 48);
		if (i % 4 == 0)
			pool_put(&p, got);
	}
	for (int i = 0; i < 300; i++)
		if (i % 100 == 0) /* as if all were collected */
			bump_at = heap;
		else
			make(100)[0]++;
	free(a.base);
	puts(sum != 0 ? "all checks held" : "failed");
	return 0;
}
'''

# A tree that a function builds which calls itself in two places, and half of which is freed again.
TREE = r'''
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *left, *right;
};

static struct node *grow_tree(int height)
{
	struct node *n = calloc(1, sizeof *n);

	if (height > 1) {
		n->left = grow_tree(height - 1);
		n->right = grow_tree(height - 1);
	}
	return n;
}

static void fell(struct node *n)
{
	if (!n)
		return;
	fell(n->left);
	fell(n->right);
	free(n);
}

int main(void)
{
	struct node *root = grow_tree(17);

	fell(root->left);
	puts("all checks held");
	return 0;
}
'''
