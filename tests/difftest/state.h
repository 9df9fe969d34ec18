/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole register state before and after a snippet, for enter.S and C.
 *
 *   0      gpr[16], in the order of their numbers: rax rcx rdx rbx rsp rbp ...
 *   128    rflags
 *   136    address to jump to (input only)
 *   144    base of %fs inside the snippet, used if the next field is not 0
 *   152    1: set %fs
 *   192    XSAVE image, standard format
 */
#ifndef DIFFTEST_STATE_H
#define DIFFTEST_STATE_H

#define STATE_GPR	  0
#define STATE_FLAGS	  128
#define STATE_TARGET	  136
#define STATE_FS_BASE	  144
#define STATE_USE_FS	  152
#define STATE_XSAVE	  192
#define STATE_XSAVE_BYTES 4096
#define STATE_BYTES	  (STATE_XSAVE + STATE_XSAVE_BYTES)

#ifndef __ASSEMBLER__

#include <stdint.h>

struct machine_state {
	uint64_t gpr[16];
	uint64_t flags;
	uint64_t target;
	uint64_t fs_base;
	uint64_t use_fs;
	uint8_t pad[32];
	uint8_t xsave[STATE_XSAVE_BYTES] __attribute__((aligned(64)));
};

_Static_assert(sizeof(struct machine_state) == STATE_BYTES, "enter.S knows the size");
_Static_assert(__builtin_offsetof(struct machine_state, flags) == STATE_FLAGS, "enter.S");
_Static_assert(__builtin_offsetof(struct machine_state, xsave) == STATE_XSAVE, "enter.S");

/* Both are owned by enter.S: they are reached rip-relative, without a register. */
extern struct machine_state difftest_in;
extern struct machine_state difftest_out;

/* XSAVE components that are loaded and saved; state_init sets it. */
extern uint32_t difftest_components;

/* The %fs base of the harness itself; state_init sets it. */
extern uint64_t difftest_host_fs;

/* Load difftest_in, run from its target; comes back with difftest_out filled. */
void difftest_enter(void);

/* Where a snippet jumps to at its end. Not to be called. */
void difftest_leave(void);

/* Offsets of the parts in an XSAVE image, from cpuid; 0 where the CPU has none. */
struct state_layout {
	uint32_t bytes;
	uint32_t ymm_high;
	uint32_t mask;
	uint32_t zmm_high;
	uint32_t zmm_16;
};

/*
 * Find what this CPU and kernel save. Returns 0, or -1 if there is no XSAVE or
 * the image does not fit.
 */
int state_init(void);

const struct state_layout *state_layout(void);

/*
 * Write `bytes` (4 or 8) of `value` to element `index` of vector register
 * `reg` (0 to 31) in an image. Elements the CPU does not have are left out.
 */
void state_vector_set(uint8_t *image, unsigned int reg, unsigned int index, unsigned int bytes,
		      uint64_t value);

#endif
#endif
