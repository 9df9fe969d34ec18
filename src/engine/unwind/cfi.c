/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of call frame information; see cfi.h. */
#include "engine/unwind/cfi.h"

#include "engine/core/util.h"

#define MAX_SAVED_STATES 8u
#define MAX_OFFSET	 (1 << 26)
#define DW_RBP		 6u
#define DW_RSP		 7u
#define DW_RETURN	 16u

/* ---- Reading ---- */

uint64_t cfi_bytes(struct cfi_reader *r, uint32_t n)
{
	uint64_t v = 0;

	if ((uint64_t)(r->end - r->p) < n) {
		r->bad = true;
		return 0;
	}
	memcpy(&v, r->p, n);
	r->p += n;
	return v;
}

uint64_t cfi_uleb(struct cfi_reader *r)
{
	uint64_t v = 0, byte;

	for (uint32_t shift = 0; shift < 63; shift += 7) {
		byte = cfi_bytes(r, 1);
		v |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	r->bad = true;
	return 0;
}

int64_t cfi_sleb(struct cfi_reader *r)
{
	uint64_t v = 0, byte;

	for (uint32_t shift = 0; shift < 63; shift += 7) {
		byte = cfi_bytes(r, 1);
		v |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return byte & 0x40 ? (int64_t)(v | ~0ull << (shift + 7)) : (int64_t)v;
	}
	r->bad = true;
	return 0;
}

void cfi_skip(struct cfi_reader *r, uint64_t n)
{
	if ((uint64_t)(r->end - r->p) < n)
		r->bad = true;
	else
		r->p += n;
}

uint64_t cfi_pointer(struct cfi_reader *r, uint8_t encoding)
{
	static const uint8_t bytes[16] = {
		[0] = 8, [2] = 2, [3] = 4, [4] = 8, [10] = 2, [11] = 4, [12] = 8};
	uint64_t at = r->address + (uint64_t)(r->p - r->start), v;
	uint32_t n = bytes[encoding & 15];

	if (n == 0 || ((encoding & 0x70) != 0 && (encoding & 0x70) != 0x10)) {
		r->bad = true;
		return 0;
	}
	v = cfi_bytes(r, n);
	if (encoding & 8 && n < 8)
		v = (uint64_t)((int64_t)(v << (64 - 8 * n)) >> (64 - 8 * n));
	return encoding & 0x10 ? v + at : v;
}

/* ---- Executing ---- */

enum cfa_kind { CFA_UNKNOWN, CFA_REGISTER, CFA_AT_REGISTER };

/* A row of the unwind table, reduced to what gives the caller's rsp, rbp and pc. */
struct row {
	uint8_t cfa; /* enum cfa_kind */
	uint64_t cfa_register;
	int64_t cfa_offset;
	uint8_t rbp; /* enum frame_rbp */
	int64_t rbp_offset;
	bool ends; /* no return address, or not at its usual place */
};

struct machine {
	const struct cfi_common *c;
	struct row now, first, saved[MAX_SAVED_STATES];
	uint32_t saved_count;
	uint64_t at, pc;
	bool failed;
};

/*
 * The action of an instruction on its operands. The caller has read the register in front of an
 * expression; the action reads the expression itself.
 */
typedef void action(struct machine *m, struct cfi_reader *r, uint64_t a, int64_t b);

static void do_nothing(struct machine *m, struct cfi_reader *r, uint64_t a, int64_t b)
{
	(void)m;
	(void)r;
	(void)a;
	(void)b;
}

static void set_location(struct machine *m, struct cfi_reader *r, uint64_t a, int64_t b)
{
	(void)r;
	(void)b;
	m->at = a;
}

static void advance(struct machine *m, struct cfi_reader *r, uint64_t units, int64_t b)
{
	(void)r;
	(void)b;
	m->at += units * m->c->code_unit;
}

static void saved_at(struct machine *m, struct cfi_reader *r, uint64_t which, int64_t offset)
{
	(void)r;
	if (which == DW_RBP) {
		m->now.rbp = RBP_SAVED;
		m->now.rbp_offset = offset;
	}
	if (which == DW_RETURN)
		m->now.ends = offset != -8;
}

/* Restore the rule that held at the function's beginning. */
static void restore_register(struct machine *m, struct cfi_reader *r, uint64_t which, int64_t b)
{
	(void)r;
	(void)b;
	if (which == DW_RBP) {
		m->now.rbp = m->first.rbp;
		m->now.rbp_offset = m->first.rbp_offset;
	}
	if (which == DW_RETURN)
		m->now.ends = m->first.ends;
}

static void lost_register(struct machine *m, struct cfi_reader *r, uint64_t which, int64_t b)
{
	(void)r;
	(void)b;
	if (which == DW_RBP)
		m->failed = true;
	if (which == DW_RETURN)
		m->now.ends = true;
}

static void lost_to_expression(struct machine *m, struct cfi_reader *r, uint64_t which, int64_t b)
{
	lost_register(m, r, which, b);
	cfi_skip(r, cfi_uleb(r));
}

static void remember(struct machine *m, struct cfi_reader *r, uint64_t a, int64_t b)
{
	(void)r;
	(void)a;
	(void)b;
	if (m->saved_count == MAX_SAVED_STATES)
		m->failed = true;
	else
		m->saved[m->saved_count++] = m->now;
}

static void take_back(struct machine *m, struct cfi_reader *r, uint64_t a, int64_t b)
{
	(void)r;
	(void)a;
	(void)b;
	if (m->saved_count == 0)
		m->failed = true;
	else
		m->now = m->saved[--m->saved_count];
}

static void define_cfa(struct machine *m, struct cfi_reader *r, uint64_t which, int64_t offset)
{
	(void)r;
	m->now.cfa = CFA_REGISTER;
	m->now.cfa_register = which;
	m->now.cfa_offset = offset;
}

static void define_cfa_register(struct machine *m, struct cfi_reader *r, uint64_t which, int64_t b)
{
	(void)r;
	(void)b;
	m->now.cfa_register = which;
}

static void define_cfa_offset(struct machine *m, struct cfi_reader *r, uint64_t a, int64_t offset)
{
	(void)r;
	(void)a;
	m->now.cfa_offset = offset;
}

/* DW_OP_breg6 offset, which is rbp + offset, optionally followed by DW_OP_deref. */
static bool rbp_expression(struct cfi_reader *r, int64_t *offset, bool *deref)
{
	uint64_t bytes = cfi_uleb(r);
	struct cfi_reader in = *r;

	cfi_skip(r, bytes);
	if (r->bad)
		return false;
	in.end = r->p;
	if (cfi_bytes(&in, 1) != 0x70 + DW_RBP)
		return false;
	*offset = cfi_sleb(&in);
	*deref = in.p < in.end && cfi_bytes(&in, 1) == 0x06;
	return !in.bad && in.p == in.end;
}

static void cfa_expression(struct machine *m, struct cfi_reader *r, uint64_t a, int64_t b)
{
	bool deref;

	(void)a;
	(void)b;
	m->now.cfa = CFA_UNKNOWN;
	if (!rbp_expression(r, &m->now.cfa_offset, &deref))
		return;
	m->now.cfa = deref ? CFA_AT_REGISTER : CFA_REGISTER;
	m->now.cfa_register = DW_RBP;
}

static void register_expression(struct machine *m, struct cfi_reader *r, uint64_t which, int64_t b)
{
	int64_t offset;
	bool deref;

	if (!rbp_expression(r, &offset, &deref) || deref) {
		lost_register(m, r, which, b);
	} else if (which == DW_RBP) {
		m->now.rbp = RBP_AT_RBP;
		m->now.rbp_offset = offset;
	} else if (which == DW_RETURN) {
		m->now.ends = true;
	}
}

/* Kinds of operands: bytes, an address, numbers, and numbers in the CIE's data units. */
enum operand {
	NONE,
	BYTES_1,
	BYTES_2,
	BYTES_4,
	ADDRESS,
	NUMBER,
	UNITS,
	LESS_UNITS,
	SIGNED_UNITS,
};

static uint64_t read_operand(struct machine *m, struct cfi_reader *r, enum operand what)
{
	const uint64_t unit = (uint64_t)m->c->data_unit;

	switch (what) {
	case BYTES_1:
	case BYTES_2:
	case BYTES_4:
		return cfi_bytes(r, 1u << (what - BYTES_1));
	case ADDRESS:
		return cfi_pointer(r, m->c->pointer_encoding);
	case NUMBER:
		return cfi_uleb(r);
	case UNITS:
		return cfi_uleb(r) * unit;
	case LESS_UNITS:
		return -(cfi_uleb(r) * unit);
	case SIGNED_UNITS:
		return (uint64_t)cfi_sleb(r) * unit;
	default:
		return 0;
	}
}

/* The instructions with an opcode of six bits (DWARF 5, section 6.4.2 and table 7.29). */
static const struct {
	action *act;
	uint8_t a, b; /* enum operand */
} extended[] = {
	[0x00] = {do_nothing, NONE, NONE},
	[0x01] = {set_location, ADDRESS, NONE},
	[0x02] = {advance, BYTES_1, NONE},
	[0x03] = {advance, BYTES_2, NONE},
	[0x04] = {advance, BYTES_4, NONE},
	[0x05] = {saved_at, NUMBER, UNITS}, /* offset_extended */
	[0x06] = {restore_register, NUMBER, NONE},
	[0x07] = {lost_register, NUMBER, NONE},	   /* undefined */
	[0x08] = {restore_register, NUMBER, NONE}, /* same_value */
	[0x09] = {lost_register, NUMBER, NUMBER},  /* register */
	[0x0a] = {remember, NONE, NONE},
	[0x0b] = {take_back, NONE, NONE},
	[0x0c] = {define_cfa, NUMBER, NUMBER},
	[0x0d] = {define_cfa_register, NUMBER, NONE},
	[0x0e] = {define_cfa_offset, NONE, NUMBER},
	[0x0f] = {cfa_expression, NONE, NONE},
	[0x10] = {register_expression, NUMBER, NONE},
	[0x11] = {saved_at, NUMBER, SIGNED_UNITS},
	[0x12] = {define_cfa, NUMBER, SIGNED_UNITS},
	[0x13] = {define_cfa_offset, NONE, SIGNED_UNITS},
	[0x14] = {lost_register, NUMBER, UNITS}, /* val_offset */
	[0x15] = {lost_register, NUMBER, SIGNED_UNITS},
	[0x16] = {lost_to_expression, NUMBER, NONE}, /* val_expression */
	[0x2e] = {do_nothing, NUMBER, NONE},	     /* GNU_args_size */
	[0x2f] = {saved_at, NUMBER, LESS_UNITS},     /* GNU_negative_offset_extended */
};

static void execute_extended(struct machine *m, struct cfi_reader *r, uint8_t opcode)
{
	uint64_t a, b;

	if (opcode >= sizeof extended / sizeof extended[0] || !extended[opcode].act) {
		m->failed = true;
		return;
	}
	a = read_operand(m, r, extended[opcode].a);
	b = read_operand(m, r, extended[opcode].b);
	extended[opcode].act(m, r, a, (int64_t)b);
}

/* Execute until the row for m->pc is complete. */
static bool execute(struct machine *m, struct cfi_reader *r)
{
	while (r->p < r->end && !r->bad && !m->failed) {
		const struct row before = m->now;
		uint8_t byte = (uint8_t)cfi_bytes(r, 1), low = byte & 0x3f;

		switch (byte >> 6) {
		case 1:
			advance(m, r, low, 0);
			break;
		case 2:
			saved_at(m, r, low, (int64_t)read_operand(m, r, UNITS));
			break;
		case 3:
			restore_register(m, r, low, 0);
			break;
		default:
			execute_extended(m, r, low);
			break;
		}
		if (m->at > m->pc) {
			m->now = before;
			break;
		}
	}
	return !r->bad && !m->failed;
}

static bool is_small(int64_t offset)
{
	return offset > -MAX_OFFSET && offset < MAX_OFFSET;
}

static bool rule_of(const struct row *w, struct frame_rule *rule)
{
	if (w->ends || w->cfa == CFA_UNKNOWN || !is_small(w->cfa_offset) ||
	    !is_small(w->rbp_offset))
		return false;
	if (w->cfa_register != DW_RBP && (w->cfa_register != DW_RSP || w->cfa != CFA_REGISTER))
		return false;
	rule->base = w->cfa_register == DW_RSP ? FRAME_RSP
		     : w->cfa == CFA_REGISTER  ? FRAME_RBP
					       : FRAME_AT_RBP;
	rule->offset = (int32_t)w->cfa_offset;
	rule->rbp = w->rbp;
	rule->rbp_offset = (int32_t)w->rbp_offset;
	return true;
}

bool cfi_rule(const struct cfi_common *c, const struct cfi_reader *program, uint64_t start,
	      uint64_t pc, struct frame_rule *rule)
{
	struct machine m = {.c = c, .at = start, .pc = UINT64_MAX};
	struct cfi_reader first = c->program, own = *program;

	if (!execute(&m, &first))
		return false;
	m.first = m.now;
	m.pc = pc;
	return execute(&m, &own) && rule_of(&m.now, rule);
}
