/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A loop that is written into memory and walks 32768 lines, 100 times or as often as the second
 * argument says. The first argument chooses how the process describes this code: in
 * /tmp/perf-PID.map, in a similar file that must not be read, or in a jitdump file.
 * tests/cli/runtime_code.py knows the expected result of each. Prints the pid; without an argument
 * it walks once, without a description.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "check.h"

#define LINES  (1u << 15)
#define ROUNDS 100

/* mov rcx, rsi; l: mov rax, [rdi]; add rdi, 64; dec rcx; jnz l; ret */
static const uint8_t loop[] = {0x48, 0x89, 0xf1, 0x48, 0x8b, 0x07, 0x48, 0x83,
			       0xc7, 0x40, 0x48, 0xff, 0xc9, 0x75, 0xf4, 0xc3};

static uint8_t table[LINES * 64];
static uint8_t *code;

static void walk(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		((void (*)(void *, uint64_t))(void *)code)(table, LINES);
}

/* What is no entry is passed over; of two for one address the later one counts. */
static void write_map(FILE *out)
{
	const unsigned long at = (unsigned long)code;

	fprintf(out, "\nzz zz zz\n-1 5 minus\n%lx\n%lx 0 empty\nffffffffffffffff ff beyond\n", at,
		at);
	fprintf(out, "%lx %zx before\n%lx %zx walk \x1b[31m lines\n", at, sizeof loop, at - 16,
		sizeof loop + 16);
	fclose(out);
}

static void tell(const char *how)
{
	char path[64], elsewhere[96];
	FILE *out;

	snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
	snprintf(elsewhere, sizeof elsewhere, "%s.elsewhere", path);
	unlink(path); /* what an earlier process of this number may have left */
	out = fopen(strcmp(how, "link") == 0 ? elsewhere : path, "w");
	NEED(out);
	write_map(out);
	if (strcmp(how, "link") == 0)
		NEED(symlink(elsewhere, path) == 0);
	if (strcmp(how, "old") == 0)
		NEED(utime(path, &(struct utimbuf){1, 1}) == 0);
	if (strcmp(how, "stranger") == 0)
		NEED(chown(path, 12345, 12345) == 0);
	if (strcmp(how, "large") == 0) /* the rest is zeros */
		NEED(truncate(path, 80 << 20) == 0);
	if (strcmp(how, "pipe") == 0)
		NEED(unlink(path) == 0 && mkfifo(path, 0600) == 0);
}

#define ELSEWHERE 0x7000u /* where the code of the jitdump file was at first */

static void put_record(FILE *out, uint32_t kind, const void *body, uint32_t bytes)
{
	const uint32_t head[] = {kind, 16 + bytes, 1, 0};

	fwrite(head, 1, sizeof head, out);
	fwrite(body, 1, bytes, out);
}

/* A piece of code: ids, two addresses, how long it is, its number, its name, itself. */
static void put_code(FILE *out, uint64_t at, uint64_t number, const char *name)
{
	const uint64_t numbers[] = {1ull << 32 | 1, at, at, sizeof loop, number};
	uint8_t body[sizeof numbers + 32 + sizeof loop];
	const size_t name_bytes = strlen(name) + 1;

	memcpy(body, numbers, sizeof numbers);
	memcpy(body + sizeof numbers, name, name_bytes);
	memcpy(body + sizeof numbers + name_bytes, loop, sizeof loop);
	put_record(out, 0, body, (uint32_t)(sizeof numbers + name_bytes + sizeof loop));
}

static void put_lines(FILE *out)
{
	static const struct {
		uint32_t offset, line;
		const char *file;
	} lines[] = {{0, 10, "/src/walk.js"}, {3, 12, "\xff"}, {15, 13, "\xff"}};
	const uint64_t head[] = {ELSEWHERE, sizeof lines / sizeof lines[0]};
	uint8_t body[128];
	uint32_t n = sizeof head;

	memcpy(body, head, n);
	for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		const uint64_t at = ELSEWHERE + lines[i].offset;
		const uint32_t line[] = {lines[i].line, 0};
		const uint32_t bytes = (uint32_t)strlen(lines[i].file) + 1;

		memcpy(body + n, &at, 8);
		memcpy(body + n + 8, line, 8);
		memcpy(body + n + 16, lines[i].file, bytes);
		n += 16 + bytes;
	}
	put_record(out, 2, body, n);
}

/*
 * The same loop told in a jitdump file, which is mapped as a sign: it began elsewhere, with its
 * lines, and moved.
 */
static void dump(void)
{
	const uint32_t head[] = {0x4a695444, 1, 40, 62, 0, (uint32_t)getpid(), 1, 0, 0, 0};
	const uint64_t at = (uint64_t)(uintptr_t)code;
	const uint64_t move[] = {1ull << 32 | 1, at, ELSEWHERE, at, sizeof loop, 1};
	char path[64];
	FILE *out;

	snprintf(path, sizeof path, "jit-%d.dump", getpid());
	out = fopen(path, "w+");
	NEED(out && fwrite(head, 1, sizeof head, out) == sizeof head && fflush(out) == 0);
	NEED(mmap(0, sizeof head, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(out), 0) !=
	     MAP_FAILED);
	put_code(out, at, 0, "before");
	put_lines(out);
	put_code(out, ELSEWHERE, 1, "js:walk");
	put_record(out, 1, move, sizeof move);
	put_record(out, 4, "0123456789012345678901234567890123456789", 40);
	put_record(out, 3, "", 0);
	fwrite("\1", 1, 2, out); /* the beginning of a record */
	fclose(out);
}

int main(int argc, char **argv)
{
	code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	NEED(code != MAP_FAILED);
	memcpy(code, loop, sizeof loop);
	walk(argc > 2 ? (unsigned)atoi(argv[2]) : argc > 1 ? ROUNDS : 1);
	if (argc < 2)
		return check_end();
	if (strcmp(argv[1], "jitdump") == 0) {
		dump();
		walk(1);
	} else {
		tell(argv[1]);
	}
	if (strcmp(argv[1], "stay") ==
	    0) /* what it has told can only be found from outside while it lives */
		sleep(2);
	printf("%d\n", getpid());
	return check_failures != 0;
}
