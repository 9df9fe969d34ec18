/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information to rules; see eh_frame.h. Reads the target only by engine_copy. */
#include "engine/eh_frame.h"

#include "engine/state.h"
#include "engine/util.h"

#define ENTRY_ROOM 2048u /* of a description that is looked at: programs are shorter */
#define MAX_SAVED_STATES 8u
#define MAX_OFFSET (1 << 26)
#define DW_RBP 6u
#define DW_RSP 7u
#define DW_RETURN 16u

/* Bytes of a description; `bad` once it was read beyond. */
struct reader {
	const uint8_t *p, *end;
	uint64_t address; /* of p[0] in the target when reading began */
	const uint8_t *start;
	bool bad;
};

static uint64_t read_bytes(struct reader *r, uint32_t n)
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

static uint64_t read_uleb(struct reader *r)
{
	uint64_t v = 0, byte;

	for (uint32_t shift = 0; shift < 63; shift += 7) {
		byte = read_bytes(r, 1);
		v |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	r->bad = true;
	return 0;
}

static int64_t read_sleb(struct reader *r)
{
	uint64_t v = 0, byte;

	for (uint32_t shift = 0; shift < 63; shift += 7) {
		byte = read_bytes(r, 1);
		v |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return byte & 0x40 ? (int64_t)(v | ~0ull << (shift + 7)) : (int64_t)v;
	}
	r->bad = true;
	return 0;
}

static void skip(struct reader *r, uint64_t n)
{
	if ((uint64_t)(r->end - r->p) < n)
		r->bad = true;
	else
		r->p += n;
}

/* A pointer of one of the encodings that occur; relative only to itself. */
static uint64_t read_pointer(struct reader *r, uint8_t encoding)
{
	static const uint8_t bytes[16] = { [0] = 8, [2] = 2, [3] = 4, [4] = 8,
					   [10] = 2, [11] = 4, [12] = 8 };
	uint64_t at = r->address + (uint64_t)(r->p - r->start), v;
	uint32_t n = bytes[encoding & 15];

	if (n == 0 || ((encoding & 0x70) != 0 && (encoding & 0x70) != 0x10)) {
		r->bad = true;
		return 0;
	}
	v = read_bytes(r, n);
	if (encoding & 8 && n < 8)
		v = (uint64_t)((int64_t)(v << (64 - 8 * n)) >> (64 - 8 * n));
	return encoding & 0x10 ? v + at : v;
}

/* ---- The two kinds of descriptions ---- */

/* What a description of code shares with others (CIE). */
struct common {
	uint64_t code_unit;
	int64_t data_unit;
	uint8_t pointer_encoding;
	bool has_augmentation;
	bool is_signal;
	uint8_t bytes[ENTRY_ROOM];
	struct reader program;
};

/* Copy the description at address, without its length, to bytes. */
static bool open_entry(uint64_t address, uint8_t *bytes, struct reader *r)
{
	uint32_t length;

	if (engine_copy(&length, (const void *)(uintptr_t)address, 4) != 0 || length < 4 ||
	    length == 0xffffffffu)
		return false;
	if (length > ENTRY_ROOM)
		length = ENTRY_ROOM; /* perhaps the part that matters is there */
	if (engine_copy(bytes, (const void *)(uintptr_t)(address + 4), length) != 0)
		return false;
	*r = (struct reader){ bytes, bytes + length, address + 4, bytes, false };
	return true;
}

static bool read_augmentation(struct common *c, struct reader *r, const char *text)
{
	uint64_t bytes = read_uleb(r);
	const uint8_t *end = r->p + bytes;

	if (r->bad || bytes > (uint64_t)(r->end - r->p))
		return false;
	c->has_augmentation = true;
	for (text++; *text && !r->bad; text++) {
		if (*text == 'R')
			c->pointer_encoding = (uint8_t)read_bytes(r, 1);
		else if (*text == 'P')
			read_pointer(r, (uint8_t)read_bytes(r, 1) & 0x7f);
		else if (*text == 'L')
			read_bytes(r, 1);
		else if (*text == 'S')
			c->is_signal = true;
		else
			return false;
	}
	r->p = end;
	return !r->bad;
}

static bool read_common(struct common *c, uint64_t address)
{
	struct reader r;
	const char *text;
	uint8_t version;
	uint64_t return_register;

	if (!open_entry(address, c->bytes, &r) || read_bytes(&r, 4) != 0)
		return false;
	version = (uint8_t)read_bytes(&r, 1);
	text = (const char *)r.p;
	while (read_bytes(&r, 1) && !r.bad)
		;
	if (r.bad || (version != 1 && version != 3))
		return false;
	c->code_unit = read_uleb(&r);
	c->data_unit = read_sleb(&r);
	return_register = version == 1 ? read_bytes(&r, 1) : read_uleb(&r);
	c->pointer_encoding = 0;
	c->has_augmentation = c->is_signal = false;
	if (r.bad || return_register != DW_RETURN)
		return false;
	if (*text == 'z' ? !read_augmentation(c, &r, text) : *text != 0)
		return false;
	c->program = r;
	return true;
}

/* ---- The programs in them ---- */

enum cfa_kind { CFA_UNKNOWN, CFA_REGISTER, CFA_AT_REGISTER };

/* Where things are, as far as it matters for the caller's rsp, rbp and pc. */
struct row {
	uint8_t cfa; /* enum cfa_kind */
	uint64_t cfa_register;
	int64_t cfa_offset;
	uint8_t rbp; /* enum frame_rbp */
	int64_t rbp_offset;
	bool ends; /* no return address, or not at its usual place */
};

struct machine {
	const struct common *c;
	struct row now, first, saved[MAX_SAVED_STATES];
	uint32_t saved_count;
	uint64_t at, pc;
	bool failed;
};

static void saved_at(struct row *w, uint64_t which, int64_t offset)
{
	if (which == DW_RBP) {
		w->rbp = RBP_SAVED;
		w->rbp_offset = offset;
	}
	if (which == DW_RETURN)
		w->ends = offset != -8;
}

static void restore_register(struct machine *m, uint64_t which)
{
	if (which == DW_RBP) {
		m->now.rbp = m->first.rbp;
		m->now.rbp_offset = m->first.rbp_offset;
	}
	if (which == DW_RETURN)
		m->now.ends = m->first.ends;
}

static void lost_register(struct machine *m, uint64_t which)
{
	if (which == DW_RBP)
		m->failed = true;
	if (which == DW_RETURN)
		m->now.ends = true;
}

/* DW_OP_breg6 offset, which is rbp + offset, perhaps with a DW_OP_deref behind. */
static bool rbp_expression(struct reader *r, int64_t *offset, bool *deref)
{
	uint64_t bytes = read_uleb(r);
	struct reader in = *r;

	skip(r, bytes);
	if (r->bad)
		return false;
	in.end = r->p;
	if (read_bytes(&in, 1) != 0x70 + DW_RBP)
		return false;
	*offset = read_sleb(&in);
	*deref = in.p < in.end && read_bytes(&in, 1) == 0x06;
	return !in.bad && in.p == in.end;
}

static void cfa_expression(struct machine *m, struct reader *r)
{
	bool deref;

	m->now.cfa = CFA_UNKNOWN;
	if (!rbp_expression(r, &m->now.cfa_offset, &deref))
		return;
	m->now.cfa = deref ? CFA_AT_REGISTER : CFA_REGISTER;
	m->now.cfa_register = DW_RBP;
}

static void register_expression(struct machine *m, struct reader *r)
{
	uint64_t which = read_uleb(r);
	int64_t offset;
	bool deref;

	if (!rbp_expression(r, &offset, &deref) || deref) {
		lost_register(m, which);
	} else if (which == DW_RBP) {
		m->now.rbp = RBP_AT_RBP;
		m->now.rbp_offset = offset;
	} else if (which == DW_RETURN) {
		m->now.ends = true;
	}
}

static void advance(struct machine *m, uint64_t units)
{
	m->at += units * m->c->code_unit;
}

static void define_cfa(struct machine *m, uint64_t which, int64_t offset)
{
	m->now.cfa = CFA_REGISTER;
	m->now.cfa_register = which;
	m->now.cfa_offset = offset;
}

static void remember(struct machine *m)
{
	if (m->saved_count == MAX_SAVED_STATES)
		m->failed = true;
	else
		m->saved[m->saved_count++] = m->now;
}

static void take_back(struct machine *m)
{
	if (m->saved_count == 0)
		m->failed = true;
	else
		m->now = m->saved[--m->saved_count];
}

/* The instructions with an opcode of six bits (DWARF 5, section 6.4.2 and table 7.29). */
static void execute_extended(struct machine *m, struct reader *r, uint8_t opcode)
{
	const int64_t unit = m->c->data_unit;
	uint64_t which;

	switch (opcode) {
	case 0x00: /* nop */
		break;
	case 0x01: /* set_loc */
		m->at = read_pointer(r, m->c->pointer_encoding);
		break;
	case 0x02: /* advance_loc1, 2, 4 */
	case 0x03:
	case 0x04:
		advance(m, read_bytes(r, 1u << (opcode - 2)));
		break;
	case 0x05: /* offset_extended */
		which = read_uleb(r);
		saved_at(&m->now, which, (int64_t)read_uleb(r) * unit);
		break;
	case 0x11: /* offset_extended_sf */
		which = read_uleb(r);
		saved_at(&m->now, which, read_sleb(r) * unit);
		break;
	case 0x2f: /* GNU_negative_offset_extended */
		which = read_uleb(r);
		saved_at(&m->now, which, -(int64_t)read_uleb(r) * unit);
		break;
	case 0x06: /* restore_extended */
	case 0x08: /* same_value: as at the function's beginning */
		restore_register(m, read_uleb(r));
		break;
	case 0x07: /* undefined */
		lost_register(m, read_uleb(r));
		break;
	case 0x09: /* register */
		lost_register(m, read_uleb(r));
		read_uleb(r);
		break;
	case 0x0a:
		remember(m);
		break;
	case 0x0b:
		take_back(m);
		break;
	case 0x0c: /* def_cfa, _register, _offset */
		which = read_uleb(r);
		define_cfa(m, which, (int64_t)read_uleb(r));
		break;
	case 0x0d:
		m->now.cfa_register = read_uleb(r);
		break;
	case 0x0e:
		m->now.cfa_offset = (int64_t)read_uleb(r);
		break;
	case 0x12: /* def_cfa_sf, def_cfa_offset_sf */
		which = read_uleb(r);
		define_cfa(m, which, read_sleb(r) * unit);
		break;
	case 0x13:
		m->now.cfa_offset = read_sleb(r) * unit;
		break;
	case 0x0f:
		cfa_expression(m, r);
		break;
	case 0x10: /* expression */
		register_expression(m, r);
		break;
	case 0x14: /* val_offset */
		lost_register(m, read_uleb(r));
		read_uleb(r);
		break;
	case 0x16: /* val_expression */
		lost_register(m, read_uleb(r));
		skip(r, read_uleb(r));
		break;
	case 0x2e: /* GNU_args_size */
		read_uleb(r);
		break;
	default:
		m->failed = true;
		break;
	}
}

/* Until the row for m->pc is complete. */
static bool execute(struct machine *m, struct reader *r)
{
	while (r->p < r->end && !r->bad && !m->failed) {
		const struct row before = m->now;
		uint8_t byte = (uint8_t)read_bytes(r, 1), low = byte & 0x3f;

		switch (byte >> 6) {
		case 1:
			advance(m, low);
			break;
		case 2:
			saved_at(&m->now, low, (int64_t)read_uleb(r) * m->c->data_unit);
			break;
		case 3:
			restore_register(m, low);
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
	rule->base = w->cfa_register == DW_RSP ? FRAME_RSP :
		     w->cfa == CFA_REGISTER    ? FRAME_RBP :
						 FRAME_AT_RBP;
	rule->offset = (int32_t)w->cfa_offset;
	rule->rbp = w->rbp;
	rule->rbp_offset = (int32_t)w->rbp_offset;
	return true;
}

/* The description of code at `address` (FDE): the rule for pc, if it covers it. */
static bool read_description(uint64_t address, uint64_t pc, struct frame_rule *rule)
{
	uint8_t bytes[ENTRY_ROOM];
	struct common c;
	struct machine m;
	struct reader r;
	uint64_t back, start, length;

	if (!open_entry(address, bytes, &r))
		return false;
	back = read_bytes(&r, 4);
	if (back == 0 || !read_common(&c, address + 4 - back) || c.is_signal)
		return false;
	start = read_pointer(&r, c.pointer_encoding);
	length = read_pointer(&r, c.pointer_encoding & 0x0f);
	if (r.bad || pc < start || pc - start >= length)
		return false;
	rule->described = true;
	if (c.has_augmentation)
		skip(&r, read_uleb(&r));
	m = (struct machine){ .c = &c, .at = start, .pc = UINT64_MAX };
	if (r.bad || !execute(&m, &c.program))
		return false;
	m.first = m.now;
	m.pc = pc;
	return execute(&m, &r) && rule_of(&m.now, rule);
}

/* ---- The table of where they are ---- */

/* Both relative to the table's base. */
struct table_entry {
	int32_t pc, description;
};

struct table_head {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frames;
	uint32_t count;
};

static bool read_head(const struct frame_table *t, struct table_head *head)
{
	return t->bytes >= sizeof *head &&
	       engine_copy(head, (const void *)(uintptr_t)t->address, sizeof *head) == 0 &&
	       head->version == 1 && (head->frame_encoding & 0x0f) == 0x0b &&
	       head->count_encoding == 0x03 && head->table_encoding == 0x3b &&
	       head->count <= (t->bytes - sizeof *head) / sizeof(struct table_entry);
}

bool eh_frame_find(const struct frame_table *t, uint64_t pc, struct frame_rule *rule)
{
	const uint64_t entries = t->address + sizeof(struct table_head);
	const int64_t wanted = (int64_t)(pc - t->base);
	struct table_entry e, found = { 0 };
	struct table_head head;
	uint32_t low = 0, high;

	*rule = (struct frame_rule){ .base = FRAME_END };
	if (!read_head(t, &head))
		return false;
	for (high = head.count; low < high;) {
		uint32_t mid = low + (high - low) / 2;

		if (engine_copy(&e, (const void *)(uintptr_t)(entries + mid * sizeof e), sizeof e))
			return false;
		if (e.pc <= wanted) {
			low = mid + 1;
			found = e;
		} else {
			high = mid;
		}
	}
	if (low == 0)
		return false;
	return read_description(t->base + (uint64_t)(int64_t)found.description, pc, rule);
}

/* ---- Making one ---- */

/* Where the next description begins; 0 at the section's end. */
static uint64_t next_entry(uint64_t at, uint64_t end)
{
	uint32_t length;

	if (end - at < 8 || engine_copy(&length, (const void *)(uintptr_t)at, 4) != 0 ||
	    length < 4 || length == 0xffffffffu || length > end - at - 4)
		return 0;
	return at + 4 + length;
}

/* Where the code begins that is described at `at`; 0 where no code is. */
static uint64_t described_code(uint64_t at, struct common *c, uint64_t *common_at)
{
	uint32_t head[2];
	struct reader r;
	uint64_t wanted;

	if (engine_copy(head, (const void *)(uintptr_t)at, 8) != 0 || head[1] == 0)
		return 0;
	wanted = at + 4 - head[1];
	if (wanted != *common_at && !read_common(c, wanted))
		return 0;
	*common_at = wanted;
	if (!open_entry(at, c->bytes, &r)) /* of c only the encoding is still wanted */
		return 0;
	skip(&r, 4);
	return read_pointer(&r, c->pointer_encoding);
}

/* Shell's sort: nearly all are in order. */
static void sort_entries(struct table_entry *e, uint32_t n)
{
	for (uint32_t gap = n / 2; gap; gap /= 2)
		for (uint32_t i = gap; i < n; i++) {
			struct table_entry x = e[i];
			uint32_t k = i;

			for (; k >= gap && e[k - gap].pc > x.pc; k -= gap)
				e[k] = e[k - gap];
			e[k] = x;
		}
}

static uint32_t list_entries(uint64_t address, uint64_t bytes, struct table_entry *e)
{
	uint64_t end = address + bytes, common_at = 0, pc;
	struct common c;
	uint32_t n = 0;

	for (uint64_t at = address, next; (next = next_entry(at, end)); at = next) {
		pc = described_code(at, &c, &common_at);
		if (!pc || (int64_t)(pc - address) != (int32_t)(pc - address))
			continue;
		if (e)
			e[n] = (struct table_entry){ (int32_t)(pc - address),
						     (int32_t)(at - address) };
		n++;
	}
	return n;
}

bool eh_frame_index(uint64_t address, uint64_t bytes, struct frame_table *table)
{
	struct table_head *head;
	uint32_t n;

	*table = (struct frame_table){ 0 };
	if (bytes >> 31 || (n = list_entries(address, bytes, 0)) == 0)
		return false;
	table->bytes = sizeof *head + n * sizeof(struct table_entry);
	head = pages_get(round_up(table->bytes, PAGE));
	if (!head) {
		table->bytes = 0;
		return false;
	}
	*head = (struct table_head){ 1, 0x1b, 0x03, 0x3b, 0, n };
	list_entries(address, bytes, (struct table_entry *)(void *)(head + 1));
	sort_entries((struct table_entry *)(void *)(head + 1), n);
	table->address = (uint64_t)(uintptr_t)head;
	table->base = address;
	return true;
}
