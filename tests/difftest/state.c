/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of this machine's XSAVE image. */
#include "difftest/state.h"

#include <asm/prctl.h>
#include <cpuid.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* x87, SSE, AVX, opmask, ZMM_Hi256, Hi16_ZMM: all that a snippet can change. */
#define COMPONENTS 0xe7u

static struct state_layout layout;

static uint32_t component_offset(unsigned int component)
{
	unsigned int a = 0, b = 0, c = 0, d = 0;

	if (!(difftest_components & (1u << component)))
		return 0;
	__cpuid_count(0xd, component, a, b, c, d);
	if (b + a > layout.bytes)
		layout.bytes = b + a;
	return b;
}

int state_init(void)
{
	unsigned int a = 0, b = 0, c = 0, d = 0;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return -1;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	difftest_components = a & COMPONENTS;
	layout.bytes = 576;
	layout.ymm_high = component_offset(2);
	layout.mask = component_offset(5);
	layout.zmm_high = component_offset(6);
	layout.zmm_16 = component_offset(7);
	if (syscall(SYS_arch_prctl, ARCH_GET_FS, &difftest_host_fs))
		return -1;
	return layout.bytes <= STATE_XSAVE_BYTES ? 0 : -1;
}

const struct state_layout *state_layout(void)
{
	return &layout;
}

void state_vector_set(uint8_t *image, unsigned int reg, unsigned int index, unsigned int bytes,
		      uint64_t value)
{
	unsigned int at = index * bytes;
	uint8_t *to = 0;

	if (reg >= 16)
		to = layout.zmm_16 ? image + layout.zmm_16 + (reg - 16) * 64 + at : 0;
	else if (at < 16)
		to = image + 160 + reg * 16 + at;
	else if (at < 32)
		to = layout.ymm_high ? image + layout.ymm_high + reg * 16 + at - 16 : 0;
	else
		to = layout.zmm_high ? image + layout.zmm_high + reg * 32 + at - 32 : 0;
	if (to)
		memcpy(to, &value, bytes);
}
