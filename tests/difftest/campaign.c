/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs chunks of work, in this process or in children that may die. */
#include "difftest/campaign.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int campaign_selects(const struct campaign *c, const struct form *f)
{
	size_t n = c->only ? strlen(c->only) : 0;

	if (!c->only)
		return 1;
	return strncmp(f->key, c->only, n) == 0 && (f->key[n] == 0 || f->key[n] == '.');
}

void campaign_disassemble(const uint8_t *bytes, uint32_t length, uint64_t address)
{
	ZydisFormatter formatter;
	struct decoded d;
	char text[128];
	uint32_t at = 0;

	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	while (at < length) {
		ZydisDecoder decoder;

		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes + at, length - at, &d.insn,
							 d.ops)))
			return;
		ZydisFormatterFormatInstruction(&formatter, &d.insn, d.ops,
						d.insn.operand_count_visible, text, sizeof(text),
						address + at, ZYAN_NULL);
		printf("   ");
		for (uint32_t i = 0; i < d.insn.length; i++)
			printf(" %02x", bytes[at + i]);
		printf("  %s\n", text);
		at += d.insn.length;
	}
}

static int64_t drive_child(struct campaign *c, const struct campaign_work *w, uint32_t first,
			   uint32_t end)
{
	int status = 0;
	pid_t pid = 0;

	c->progress->item = first;
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0) {
		int64_t next = w->work(c, first, end);

		fflush(stdout);
		if (next >= 0)
			c->progress->item = (uint32_t)next;
		_exit(next < 0 ? 4 : 0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return c->progress->item;
	w->died(c, c->progress->item, status);
	return (int64_t)c->progress->item + 1;
}

int campaign_drive(struct campaign *c, const struct campaign_work *w, uint32_t first, uint32_t end)
{
	int64_t next = first;

	while (next >= 0 && next < end) {
		next = c->forked ? drive_child(c, w, (uint32_t)next, end)
				 : w->work(c, (uint32_t)next, end);
		c->next_chunk += CODE_CHUNK_BYTES;
	}
	return next < 0 ? -1 : 0;
}
