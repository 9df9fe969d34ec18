/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disassembles the loaded parts of an ELF file with Zydis. */
#include "events/machine_code.h"

#include <Zydis/Zydis.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct machine_code {
	int fd;
	Elf *elf;
	ZydisDecoder decoder;
	ZydisFormatter formatter;
};

int machine_code_open(const char *path, struct machine_code **out, struct err *err)
{
	struct machine_code *m = calloc(1, sizeof(*m));
	GElf_Ehdr header;

	if (m == NULL)
		return err_set(err, "out of memory");
	elf_version(EV_CURRENT);
	m->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (m->fd < 0)
		err_set(err, "cannot read the machine code of %s: %s", path, strerror(errno));
	else if ((m->elf = elf_begin(m->fd, ELF_C_READ, NULL)) == NULL ||
		 gelf_getehdr(m->elf, &header) == NULL || header.e_machine != EM_X86_64)
		err_set(err, "cannot read the machine code of %s: no ELF file for x86-64", path);
	else {
		ZydisDecoderInit(&m->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		ZydisFormatterInit(&m->formatter, ZYDIS_FORMATTER_STYLE_INTEL);
		ZydisFormatterSetProperty(&m->formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
					  ZYDIS_PADDING_DISABLED);
		ZydisFormatterSetProperty(&m->formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
					  ZYDIS_PADDING_DISABLED);
		ZydisFormatterSetProperty(&m->formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
					  ZYDIS_PADDING_DISABLED);
		*out = m;
		return 0;
	}
	machine_code_close(m);
	return -1;
}

void machine_code_close(struct machine_code *m)
{
	if (m == NULL)
		return;
	elf_end(m->elf);
	if (m->fd >= 0)
		close(m->fd);
	free(m);
}

bool machine_code_has_build_id(const struct machine_code *m, const char *build_id)
{
	const void *bytes;
	ssize_t count = dwelf_elf_gnu_build_id(m->elf, &bytes), i;
	char digits[3];

	if (count <= 0 || strlen(build_id) != 2 * (size_t)count)
		return false;
	for (i = 0; i < count; i++) {
		snprintf(digits, sizeof(digits), "%02x", ((const unsigned char *)bytes)[i]);
		if (memcmp(digits, build_id + 2 * i, 2) != 0)
			return false;
	}
	return true;
}

int64_t machine_code_changed(const struct machine_code *m)
{
	struct stat st;

	return fstat(m->fd, &st) == 0 ? st.st_mtime : 0;
}

/* Read up to `most` bytes at the address. Returns how many there are. */
static size_t read_bytes(struct machine_code *m, uint64_t address, unsigned char *bytes,
			 size_t most)
{
	size_t count, i;

	if (elf_getphdrnum(m->elf, &count) != 0)
		return 0;
	for (i = 0; i < count; i++) {
		GElf_Phdr p;
		ssize_t n;

		if (gelf_getphdr(m->elf, (int)i, &p) == NULL || p.p_type != PT_LOAD ||
		    address < p.p_vaddr || address - p.p_vaddr >= p.p_filesz)
			continue;
		if (most > p.p_filesz - (address - p.p_vaddr))
			most = (size_t)(p.p_filesz - (address - p.p_vaddr));
		n = pread(m->fd, bytes, most, (off_t)(p.p_offset + (address - p.p_vaddr)));
		return n > 0 ? (size_t)n : 0;
	}
	return 0;
}

size_t machine_code_at(struct machine_code *m, uint64_t address, char text[MACHINE_CODE_TEXT])
{
	unsigned char bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
	size_t count = read_bytes(m, address, bytes, sizeof(bytes));
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	text[0] = '\0';
	if (count == 0 || !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&m->decoder, bytes, count,
							       &instruction, operands)))
		return 0;
	if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&m->formatter, &instruction, operands,
							  instruction.operand_count_visible, text,
							  MACHINE_CODE_TEXT, address, NULL)))
		snprintf(text, MACHINE_CODE_TEXT, "?");
	return instruction.length;
}

static enum machine_flow flow_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *first)
{
	bool is_direct = first->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	switch (i->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return is_direct ? FLOW_CONDITIONAL : FLOW_NEXT;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return is_direct ? FLOW_JUMP : FLOW_INDIRECT;
	case ZYDIS_CATEGORY_RET:
		return FLOW_END;
	default:
		return i->mnemonic == ZYDIS_MNEMONIC_UD2 || i->mnemonic == ZYDIS_MNEMONIC_HLT
			       ? FLOW_END
			       : FLOW_NEXT;
	}
}

bool machine_code_step(struct machine_code *m, uint64_t address, struct machine_step *step)
{
	unsigned char bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
	size_t count = read_bytes(m, address, bytes, sizeof(bytes));
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	if (count == 0 || !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&m->decoder, bytes, count,
							       &instruction, operands)))
		return false;
	*step = (struct machine_step){.length = instruction.length,
				      .flow = flow_of(&instruction, &operands[0])};
	if ((step->flow == FLOW_CONDITIONAL || step->flow == FLOW_JUMP) &&
	    !ZYAN_SUCCESS(
		    ZydisCalcAbsoluteAddress(&instruction, &operands[0], address, &step->target)))
		step->flow = FLOW_INDIRECT;
	return true;
}
