/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What random programs share: a start, a stack, and an allocator. All memory has fixed addresses,
 * so that two tools see the same accesses. Accesses of marked instructions tell of blocks; see
 * naive_whose.c.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

#define NOINLINE __attribute__((noinline, noclone, noipa))

enum { CLASSES = 80, ARENA = 1 << 19, MAPPING = 1 << 16 };

u8 own_stack[65536] __attribute__((aligned(4096)));
u8 size_probe[CLASSES * 16];
u8 arena[ARENA] __attribute__((aligned(4096)));
u64 arena_used, random_state = SEED;

struct header {
	struct header *next; /* on the list of free blocks */
	u64 class_or_size;
} * free_blocks[CLASSES];

void run(void);

__attribute__((naked, noreturn)) void _start(void)
{
	__asm__ volatile(".cfi_undefined rip\n\t"
			 "lea own_stack+65536(%rip), %rsp\n\t"
			 "call run\n\t"
			 "mov $60, %eax\n\t"
			 "xor %edi, %edi\n\t"
			 "syscall");
}

static inline u64 draw(u64 limit)
{
	random_state = random_state * 6364136223846793005ul + 1442695040888963407ul;
	return (random_state >> 33) % limit;
}

/* Memory for a block. */
static inline struct header *take(u64 size)
{
	const u64 class = (size + 15) / 16;
	struct header *h = free_blocks[class];

	if (h) {
		free_blocks[class] = h->next;
	} else {
		h = (struct header *)(void *)(arena + arena_used);
		arena_used += 16 + class * 16;
		if (arena_used > ARENA)
			__builtin_trap();
	}
	return h;
}

/* The block behind h, which `take` has returned, begins. */
#define BEGIN_BLOCK(h, size, name)                                                   \
	__asm__ volatile("mark_size_" name ": movb $1, (%0)\n\t"                     \
			 "mark_begin_" name ": movq %1, 8(%2)"                       \
			 :                                                           \
			 : "r"(size_probe + (size)), "r"(((size) + 15) / 16), "r"(h) \
			 : "memory")

/* It ends. */
#define END_BLOCK(h, name)                                                                    \
	do {                                                                                  \
		u64 class;                                                                    \
                                                                                              \
		__asm__ volatile("mark_end_" name ": movq 8(%1), %0" : "=r"(class) : "r"(h)); \
		(h)->next = free_blocks[class];                                               \
		free_blocks[class] = (h);                                                     \
	} while (0)

NOINLINE void *malloc(u64 size)
{
	struct header *h = take(size);

	BEGIN_BLOCK(h, size, "malloc");
	return h + 1;
}

NOINLINE void *calloc(u64 count, u64 size)
{
	struct header *h = take(count * size);

	for (u64 i = 0; i < count * size; i++)
		((volatile u8 *)(h + 1))[i] = 0;
	BEGIN_BLOCK(h, count * size, "calloc");
	return h + 1;
}

NOINLINE void free(void *block)
{
	struct header *h = (struct header *)block - 1;

	END_BLOCK(h, "free");
}

/* The old block remains until it returns. */
NOINLINE void *realloc(void *block, u64 size, u64 old_size)
{
	struct header *old = (struct header *)block - 1, *new = old;

	if (old->class_or_size != (size + 15) / 16) {
		new = take(size);
		for (u64 i = 0; i < size && i < old_size; i++)
			((volatile u8 *)(new + 1))[i] = ((volatile u8 *)(old + 1))[i];
		END_BLOCK(old, "realloc");
	} else {
		/* a store, as Valgrind drops a load whose value nobody wants */
		__asm__ volatile("mark_end_in_place: movq %1, 8(%0)" ::"r"(old),
				 "r"((size + 15) / 16)
				 : "memory");
	}
	BEGIN_BLOCK(new, size, "realloc");
	return new + 1;
}

#if MAPS
/* Fails loudly. */
NOINLINE void map(void)
{
	register u64 flags __asm__("r10") = 0x32; /* private, anonymous, fixed */
	register u64 fd __asm__("r8") = -1ul, offset __asm__("r9") = 0;
	u64 done;

	__asm__ volatile("syscall"
			 : "=a"(done)
			 : "0"(9ul), "D"(MAP_AT), "S"((u64)MAPPING), "d"(3ul), "r"(flags), "r"(fd),
			   "r"(offset)
			 : "rcx", "r11", "memory");
	if (done != MAP_AT)
		__builtin_trap();
}
#endif
