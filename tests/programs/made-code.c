/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that are written into memory, with known numbers of calls and loops, and all ways to
 * enter such code: tests/cli/made_code.py knows the number of each. "map" writes their names for
 * perf, "dump" writes a jitdump file with lines; otherwise they have no names. In both cases the
 * pid is printed.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

#define ROUNDS 50
#define MANY   8000

/*
 * Where each begins. `odd` is reached by a jump alone, and begins where no compiler would have a
 * function begin; `behind` is what `falls` runs into, and `leaps` leads there.
 */
enum {
	OUTER = 0x800,
	INNER = 0x900,
	TAIL = 0xa00,
	ODD = 0xa89,
	JUMPER = 0xb00,
	CALLER = 0xc00,
	AGAIN = 0xd00,
	REPLACED = 0xe00,
	FALLS = 0xf00,
	BEHIND = 0xf09,
	LEAPS = 0xf80,
	BELOW = 0x400,
	BYTES = 0x1000
};

static const struct {
	const char *name;
	uint32_t at;
} functions[] = {{"below", BELOW},	 {"outer", OUTER},   {"inner", INNER},	 {"tail", TAIL},
		 {"odd", ODD},		 {"jumper", JUMPER}, {"caller", CALLER}, {"again", AGAIN},
		 {"replaced", REPLACED}, {"falls", FALLS},   {"behind", BEHIND}, {"leaps", LEAPS}};

static uint8_t *code, *at;

static void put(const char *bytes, unsigned n)
{
	memcpy(at, bytes, n);
	at += n;
}

static void put32(uint32_t v)
{
	memcpy(at, &v, 4);
	at += 4;
}

static void put64(uint64_t v)
{
	memcpy(at, &v, 8);
	at += 8;
}

static void begin(uint32_t place)
{
	at = code + place;
}

/* mov ecx, n; l: dec ecx; jnz l */
static void put_loop(uint32_t n)
{
	put("\xb9", 1);
	put32(n);
	put("\xff\xc9\x75\xfc", 4);
}

static void put_way(const char *opcode, unsigned n, uint32_t to)
{
	put(opcode, n);
	put32((uint32_t)(code + to - (at + 4)));
}

/* mov rax, f; call rax */
static void put_call(uint64_t f)
{
	put("\x48\xb8", 2);
	put64(f);
	put("\xff\xd0", 2);
}

static void *made(uint32_t place)
{
	return code + place;
}

static void from_made(void)
{
	((void (*)(void))made(AGAIN))();
}

static void write_code(void)
{
	/* push rbx; mov ebx, 7; l: call inner; dec ebx; jnz l; call jumper by rax; pop rbx; ret */
	begin(OUTER);
	put("\x53\xbb\7\0\0\0", 6);
	put_way("\xe8", 1, INNER);
	put("\xff\xcb\x75\xf7", 4);
	put_call((uint64_t)made(JUMPER));
	put("\x5b\xc3", 2);
	begin(INNER); /* mov ecx, 20; l: mov rax, [rsp]; dec ecx; jnz l; jmp tail */
	put("\xb9\x14\0\0\0\x48\x8b\x04\x24\xff\xc9\x75\xf8", 13);
	put_way("\xe9", 1, TAIL);
	begin(TAIL);
	put_loop(5);
	put_way("\xe9", 1, ODD);
	begin(ODD);
	put_loop(3);
	put_way("\xe9", 1, BELOW);
	begin(BELOW);
	put_loop(2);
	put("\xc3", 1);
	begin(JUMPER); /* lea rdx, [rip + 0x39]; jmp rdx; to 0x40 bytes behind its beginning */
	put("\x48\x8d\x15\x39\0\0\0\xff\xe2", 9);
	begin(JUMPER + 0x40);
	put_loop(11);
	put("\xc3", 1);
	begin(CALLER);
	put("\x53", 1);
	put_call((uint64_t)(uintptr_t)from_made);
	put("\x5b\xc3", 2);
	begin(AGAIN);
	put_loop(13);
	put("\xc3", 1);
}

__attribute__((noinline, noclone)) static void call_often(uint32_t place, int rounds)
{
	for (int i = 0; i < rounds; i++)
		((void (*)(void))made(place))();
}

static void write_overlapping_code(void)
{
	begin(FALLS);
	put_loop(4);
	CHECK(at == code + BEHIND);
	put_loop(6);
	put("\xc3", 1);
	begin(LEAPS);
	put_loop(2);
	put_way("\xe9", 1, BEHIND);
}

static void replace(uint32_t rounds)
{
	begin(REPLACED);
	put_loop(rounds);
	put("\xc3", 1);
	((void (*)(void))made(REPLACED))();
}

static void write_map(void)
{
	char path[64];
	FILE *out;

	snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
	unlink(path); /* what an earlier process of this number may have left */
	out = fopen(path, "w");
	NEED(out);
	for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++)
		fprintf(out, "%lx %x %s\n", (unsigned long)made(functions[i].at), 0x77,
			functions[i].name);
	fclose(out);
}

struct dump_head {
	uint32_t magic, version, bytes, machine, unused, pid;
	uint64_t time, flags;
};

static void put_record(FILE *out, uint32_t kind, const void *body, uint32_t bytes)
{
	const uint32_t head[] = {kind, 16 + bytes, 1, 0};

	fwrite(head, 1, sizeof head, out);
	fwrite(body, 1, bytes, out);
}

/* A record of the line that each begins in, and one of the code. */
static void put_function(FILE *out, unsigned i)
{
	const uint64_t address = (uint64_t)made(functions[i].at), bytes = 0x77;
	uint8_t body[256] = {0};
	const uint32_t ids[] = {(uint32_t)getpid(), (uint32_t)getpid()}, line[] = {10 * (i + 1), 0};
	const uint64_t one = 1, places[] = {address, address, bytes, i};

	memcpy(body, &address, 8);
	memcpy(body + 8, &one, 8);
	memcpy(body + 16, &address, 8);
	memcpy(body + 24, line, 8);
	strcpy((char *)body + 32, "/src/made.js");
	put_record(out, 2, body, 32 + sizeof "/src/made.js");
	memcpy(body, ids, 8);
	memcpy(body + 8, places, 32);
	strcpy((char *)body + 40, functions[i].name);
	memcpy(body + 41 + strlen(functions[i].name), made(functions[i].at), bytes);
	put_record(out, 0, body, 41 + (uint32_t)strlen(functions[i].name) + (uint32_t)bytes);
}

static void write_dump(void)
{
	const struct dump_head head = {0x4a695444, 1, 40, 62, 0, (uint32_t)getpid(), 1, 0};
	char path[64];
	FILE *out;

	snprintf(path, sizeof path, "jit-%d.dump", getpid());
	out = fopen(path, "w+");
	NEED(out && fwrite(&head, sizeof head, 1, out) == 1 && fflush(out) == 0);
	NEED(mmap(0, 40, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(out), 0) != MAP_FAILED);
	for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++)
		put_function(out, i);
	fclose(out);
}

int main(int argc, char **argv)
{
	code = mmap(0, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	NEED(code != MAP_FAILED);
	write_code();
	write_overlapping_code();
	call_often(OUTER, ROUNDS);
	call_often(CALLER, ROUNDS);
	/* That there is a function behind shows late. */
	call_often(FALLS, ROUNDS);
	call_often(LEAPS, MANY); /* so many that the call graph is told meanwhile */
	call_often(BEHIND, ROUNDS);
	call_often(FALLS, ROUNDS);
	call_often(LEAPS, ROUNDS);
	replace(100);
	replace(30);
	if (argc > 1 && strcmp(argv[1], "map") == 0)
		write_map();
	if (argc > 1 && strcmp(argv[1], "dump") == 0)
		write_dump();
	if (argc > 1)
		printf("%d\n", getpid());
	return check_end();
}
