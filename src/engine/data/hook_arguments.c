/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of allocation functions; see hook_arguments.h. */
#include "engine/data/hook_arguments.h"

static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_mul_overflow(a, b, &r) ? 0 : r;
}

uint64_t hook_argument(const struct hook_frame *r, uint32_t n)
{
	if (n == 0)
		return r->rdi;
	return n == 1 ? r->rsi : n == 2 ? r->rdx : n == 3 ? r->rcx : n == 4 ? r->r8 : r->r9;
}

void hook_arguments_read(struct alloc_call *c, const struct hook_function *f,
			 const struct hook_frame *r)
{
	c->kind = f->kind;
	c->element_size = c->old = c->out = 0;
	switch ((enum hook_shape)f->shape) {
	case HOOK_SIZE:
		c->size = r->rdi;
		break;
	case HOOK_SIZE_SECOND:
		c->size = r->rsi;
		break;
	case HOOK_ARRAY:
		c->size = product(r->rdi, r->rsi);
		c->element_size = r->rsi;
		break;
	case HOOK_RESIZE:
		c->old = r->rdi;
		c->size = r->rsi;
		break;
	case HOOK_RESIZE_ARRAY:
		c->old = r->rdi;
		c->size = product(r->rsi, r->rdx);
		c->element_size = r->rdx;
		break;
	case HOOK_SIZE_THIRD_OUT:
		c->out = r->rdi;
		c->size = r->rdx;
		break;
	case HOOK_ARGUMENT:
		c->size = hook_argument(r, f->argument);
		break;
	case HOOK_GO:
		c->size = r->rax;
		break;
	case HOOK_FREE:
		break;
	}
}
