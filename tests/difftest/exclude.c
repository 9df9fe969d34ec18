/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions that cannot be compared. Instructions that only fault in user programs (hlt,
 * lgdt, wrmsr) are compared: the fault is.
 */
#include "difftest/exclude.h"

#include <cpuid.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char system_call[] = "enters the kernel, which would act on random registers";
static const char segment[] = "loads a segment register or its base";
static const char descriptor[] = "shows the kernel's tables, or the kernel's emulation of that";
static const char port[] = "port input or output";
static const char far_transfer[] = "far transfer: leaves the flat code segment";
static const char monitor[] = "leaves to the hypervisor or a secure mode";
static const char keys[] = "could take the harness its own memory";
static const char zeroes[] = "writes to a random address, which may be in use elsewhere";
static const char short_branch[] = "a near branch with 16 bits of address, on this CPU";
static const char device[] = "writes to a device or waits for one";

static const struct {
	ZydisMnemonic mnemonic;
	const char *reason;
} mnemonics[] = {
	{ZYDIS_MNEMONIC_SYSCALL, system_call},
	{ZYDIS_MNEMONIC_SYSENTER, system_call},
	{ZYDIS_MNEMONIC_SYSRET, system_call},
	{ZYDIS_MNEMONIC_SYSEXIT, system_call},
	{ZYDIS_MNEMONIC_INT, system_call},
	{ZYDIS_MNEMONIC_IRET, far_transfer},
	{ZYDIS_MNEMONIC_IRETD, far_transfer},
	{ZYDIS_MNEMONIC_IRETQ, far_transfer},
	{ZYDIS_MNEMONIC_LFS, segment},
	{ZYDIS_MNEMONIC_LGS, segment},
	{ZYDIS_MNEMONIC_LSS, segment},
	{ZYDIS_MNEMONIC_WRFSBASE, segment},
	{ZYDIS_MNEMONIC_WRGSBASE, segment},
	{ZYDIS_MNEMONIC_SGDT, descriptor},
	{ZYDIS_MNEMONIC_SIDT, descriptor},
	{ZYDIS_MNEMONIC_SLDT, descriptor},
	{ZYDIS_MNEMONIC_STR, descriptor},
	{ZYDIS_MNEMONIC_SMSW, descriptor},
	{ZYDIS_MNEMONIC_LSL, descriptor},
	{ZYDIS_MNEMONIC_IN, port},
	{ZYDIS_MNEMONIC_OUT, port},
	{ZYDIS_MNEMONIC_INSB, port},
	{ZYDIS_MNEMONIC_INSW, port},
	{ZYDIS_MNEMONIC_INSD, port},
	{ZYDIS_MNEMONIC_OUTSB, port},
	{ZYDIS_MNEMONIC_OUTSW, port},
	{ZYDIS_MNEMONIC_OUTSD, port},
	{ZYDIS_MNEMONIC_WRPKRU, keys},
	{ZYDIS_MNEMONIC_INCSSPD, keys},
	{ZYDIS_MNEMONIC_INCSSPQ, keys},
	{ZYDIS_MNEMONIC_WRSSD, keys},
	{ZYDIS_MNEMONIC_WRSSQ, keys},
	{ZYDIS_MNEMONIC_RSTORSSP, keys},
	{ZYDIS_MNEMONIC_SAVEPREVSSP, keys},
	{ZYDIS_MNEMONIC_CLZERO, zeroes},
	{ZYDIS_MNEMONIC_ENQCMD, device},
	{ZYDIS_MNEMONIC_ENQCMDS, device},
	{ZYDIS_MNEMONIC_UMONITOR, device},
	{ZYDIS_MNEMONIC_UMWAIT, device},
	{ZYDIS_MNEMONIC_TPAUSE, device},
	{ZYDIS_MNEMONIC_MONITORX, device},
	{ZYDIS_MNEMONIC_MWAITX, device},
};

static const struct {
	ZydisISAExt ext;
	const char *reason;
} extensions[] = {
	{ZYDIS_ISA_EXT_VTX, monitor},	    {ZYDIS_ISA_EXT_SVM, monitor},
	{ZYDIS_ISA_EXT_SMX, monitor},	    {ZYDIS_ISA_EXT_SGX, monitor},
	{ZYDIS_ISA_EXT_SGX_ENCLV, monitor}, {ZYDIS_ISA_EXT_TDX, monitor},
	{ZYDIS_ISA_EXT_SNP, monitor},	    {ZYDIS_ISA_EXT_VMFUNC, monitor},
	{ZYDIS_ISA_EXT_PCONFIG, monitor},   {ZYDIS_ISA_EXT_UINTR, device},
};

static const ZydisMnemonic unstable[] = {
	ZYDIS_MNEMONIC_RDTSC,  ZYDIS_MNEMONIC_RDTSCP, ZYDIS_MNEMONIC_RDRAND,
	ZYDIS_MNEMONIC_RDSEED, ZYDIS_MNEMONIC_RDPID,  ZYDIS_MNEMONIC_CPUID,
	ZYDIS_MNEMONIC_RDPMC,  ZYDIS_MNEMONIC_RDPRU,  ZYDIS_MNEMONIC_XBEGIN,
};

static int writes_segment_register(const struct decoded *d)
{
	for (unsigned int i = 0; i < d->insn.operand_count_visible; i++)
		if (d->ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    (d->ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
		    ZydisRegisterGetClass(d->ops[i].reg.value) == ZYDIS_REGCLASS_SEGMENT)
			return 1;
	return 0;
}

static int is_amd(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0, &a, &b, &c, &d) && b == signature_AMD_ebx;
}

/*
 * Branches that AMD's processors make with 16 bits of address, and that are shorter there than
 * decoded.
 */
static int is_short_branch(const struct decoded *d)
{
	static int amd = -1;
	const ZydisInstructionCategory c = d->insn.meta.category;

	if (amd < 0)
		amd = is_amd();
	return amd && (d->insn.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) && !d->insn.raw.rex.W &&
	       (c == ZYDIS_CATEGORY_COND_BR || c == ZYDIS_CATEGORY_UNCOND_BR ||
		c == ZYDIS_CATEGORY_CALL || c == ZYDIS_CATEGORY_RET);
}

const char *exclude_reason(const struct decoded *d)
{
	for (size_t i = 0; i < COUNT(mnemonics); i++)
		if (mnemonics[i].mnemonic == d->insn.mnemonic)
			return mnemonics[i].reason;
	for (size_t i = 0; i < COUNT(extensions); i++)
		if (extensions[i].ext == d->insn.meta.isa_ext)
			return extensions[i].reason;
	if (d->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return far_transfer;
	if (is_short_branch(d))
		return short_branch;
	if (writes_segment_register(d))
		return segment;
	return 0;
}

int exclude_is_unstable(const struct decoded *d)
{
	for (size_t i = 0; i < COUNT(unstable); i++)
		if (unstable[i] == d->insn.mnemonic)
			return 1;
	return 0;
}
