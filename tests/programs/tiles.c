/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vector state that the kernel grants only on request, the tiles of AMX: its part of a signal frame
 * before and after the request, and tiles that survive signals, calls and new code. If the
 * processor has none, the frame is checked once.
 */
#define _GNU_SOURCE
#include "check.h"
#include <asm/prctl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define NOTE_AT	  464 /* struct _fpx_sw_bytes in the frame's image */
#define REQUEST	  0x1023
#define TILE_DATA 18
#define ROWS	  16
#define BYTES	  64

static volatile uint32_t magic, extended_bytes, image_bytes;
static volatile uint64_t parts;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	const uint8_t *image = (void *)((ucontext_t *)context)->uc_mcontext.fpregs;
	uint32_t word[3];
	uint64_t features;

	(void)signal;
	(void)info;
	memcpy(word, image + NOTE_AT, 8);
	memcpy(&features, image + NOTE_AT + 8, 8);
	memcpy(&word[2], image + NOTE_AT + 16, 4);
	magic = word[0];
	extended_bytes = word[1];
	image_bytes = word[2];
	parts = features & ~(1ull << 9); /* but for protection keys */
}

static void look(const char *when)
{
	raise(SIGUSR1);
	CHECK_EQ(magic, 0x46505853);
	CHECK_EQ(extended_bytes, image_bytes + 4);
	STEP("%s: %u bytes, parts 0x%llx", when, image_bytes, (unsigned long long)parts);
}

static void configure(void)
{
	static struct {
		uint8_t palette, start, unused[14];
		uint16_t bytes[16];
		uint8_t rows[16];
	} c = {.palette = 1, .bytes = {BYTES, BYTES}, .rows = {ROWS, ROWS}};

	__asm__ volatile(".byte 0xc4, 0xe2, 0x78, 0x49, 0x00" : : "a"(&c)); /* ldtilecfg (%rax) */
}

static void check_tiles(void)
{
	static uint8_t in[ROWS * BYTES], out[ROWS * BYTES];

	for (unsigned i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i * 7 + 3);
	configure();
	/* tileloadd (%rax,%rcx,1), %tmm1 */
	__asm__ volatile(".byte 0xc4, 0xe2, 0x7b, 0x4b, 0x0c, 0x08"
			 :
			 : "a"(in), "c"((uint64_t)BYTES)
			 : "memory");
	look("in use");
	for (int i = 0; i < 3; i++) {
		memset(out, 0, sizeof(out));
		raise(SIGUSR1);
		syscall(SYS_getppid);
		/* tilestored %tmm1, (%rax,%rcx,1) */
		__asm__ volatile(".byte 0xc4, 0xe2, 0x7a, 0x4b, 0x0c, 0x08"
				 :
				 : "a"(out), "c"((uint64_t)BYTES)
				 : "memory");
		CHECK(memcmp(in, out, sizeof(in)) == 0);
	}
	__asm__ volatile(".byte 0xc4, 0xe2, 0x78, 0x49, 0xc0"); /* tilerelease */
}

int main(void)
{
	struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

	NEED(sigaction(SIGUSR1, &a, NULL) == 0);
	look("at first");
	if (syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0) {
		look("on request");
		check_tiles();
	}
	return check_end();
}
