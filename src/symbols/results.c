/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The type of a block of memory, from the code behind the call that allocates it. DWARF does not
 * say what a call of malloc is for. But it says where variables are: one that is in the register
 * with the result, or is stored from it, points to the block. In C++ the allocator's function has
 * the type itself.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "symbols/frame.h"
#include "symbols/moves.h"
#include "symbols/origins.h"
#include "symbols/results.h"
#include "symbols/variable_index.h"

#define MOST_STEPS 24	   /* instructions that are followed behind a call */
#define MOST_HOPS  16	   /* from a call to its function; damaged files have cycles */
#define KEPT	   0xf028u /* registers that a call keeps: rbx, rbp, r12 to r15 */
#define CFA_OF_RBP 16	   /* bytes from rbp to the frame's address, in a function that sets rbp */

struct search {
	struct frame frame; /* at the next instruction */
	unsigned held;	    /* a bit for each register that has the result */
	/* Registers loaded from the frame, at these places. */
	unsigned loaded;
	int64_t slots[MOVES_REGISTERS];
	/* Place in the frame that also has the result. */
	bool is_kept;
	int64_t kept;
	/* The blocks around the call, by their addresses in memory. */
	const void *first[SYMBOLS_MAX_SCOPES];
	size_t first_count;
	bool is_guess; /* the type is that of a constructor, perhaps of an argument */
};

static bool peel(Dwarf_Die *type, Dwarf_Die *bare)
{
	return type != NULL && dwarf_peel_type(type, bare) == 0;
}

/* A variable in one of the registers with the result points to the block. */
static bool look_in_registers(struct search *s, Dwarf_Die *pointee)
{
	for (unsigned number = 0; number < MOVES_REGISTERS; number++) {
		const struct frame_wanted w = {.number = number};
		uint64_t offset;
		Dwarf_Die type, member;

		if (s->held >> number & 1 && frame_find(&s->frame, &w, &type, &offset) &&
		    symbols_member_at(&type, offset, &member) && frame_pointee(&member, pointee)) {
			s->is_guess = s->frame.is_artificial; /* perhaps `this` of a base class */
			return true;
		}
	}
	return false;
}

/* ---- Moves ---- */

/* The type of what lies at base + displacement, which is stored to. */
static bool stored_type(struct search *s, const struct move *m, Dwarf_Die *type, uint64_t *offset)
{
	struct frame_wanted w = {.is_slot = true};
	Dwarf_Die pointer;
	uint64_t start;

	if (m->base == MOVES_RIP) {
		if (!symbols_variable_die(s->frame.f, (uint64_t)m->displacement, type, &start) ||
		    symbols_type_of(type, type) == NULL)
			return false;
		*offset = (uint64_t)m->displacement - start;
		return true;
	}
	if (frame_place(&s->frame, m->base, m->displacement, &w.slot) &&
	    frame_find(&s->frame, &w, type, offset))
		return true;
	w = (struct frame_wanted){.number = m->base};
	if (s->loaded >> m->base & 1)
		w = (struct frame_wanted){.is_slot = true, .slot = s->slots[m->base]};
	if (m->displacement < 0 || !frame_find(&s->frame, &w, &pointer, &start) || start != 0 ||
	    !frame_pointee(&pointer, type))
		return false;
	*offset = (uint64_t)m->displacement;
	return true;
}

static bool look_at_store(struct search *s, const struct move *m, Dwarf_Die *pointee)
{
	Dwarf_Die type, member;
	uint64_t offset;

	if (!(s->held >> m->from & 1))
		return false;
	return (m->kind == MOVE_STORE && stored_type(s, m, &type, &offset) &&
		symbols_member_at(&type, offset, &member) && frame_pointee(&member, pointee)) ||
	       origins_of_store(&s->frame, s->frame.at, s->held, pointee);
}

/* The result is the first argument of a call: in C++ a constructor's `this`. */
static bool look_at_call(struct search *s, uint64_t target, Dwarf_Die *pointee)
{
	Dwarf_Die scopes[SYMBOLS_MAX_SCOPES], die, memory;

	if (!(s->held >> MOVES_RDI & 1) || symbols_dwarf_scopes(s->frame.f, &target, scopes) == 0 ||
	    dwarf_child(&scopes[0], &die) != 0)
		return false;
	do {
		if (dwarf_tag(&die) == DW_TAG_formal_parameter)
			return frame_pointee(symbols_type_of(&die, &memory), pointee);
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static void change(struct search *s, const struct move *m)
{
	const unsigned bit = m->has_to ? 1u << m->to : 0;
	const bool is_held = s->held >> m->from & 1;
	const bool is_copied = m->kind == MOVE_COPY && is_held;
	int64_t place;

	s->held = is_copied ? s->held | bit : s->held & ~bit;
	s->loaded &= ~bit;
	if (m->kind == MOVE_LOAD && frame_place(&s->frame, m->base, m->displacement, &place)) {
		s->loaded |= bit;
		s->slots[m->to] = place;
		s->held |= s->is_kept && place == s->kept ? bit : 0;
	}
	if (m->kind == MOVE_STORE && frame_place(&s->frame, m->base, m->displacement, &place)) {
		s->is_kept = is_held || (s->is_kept && s->kept != place);
		s->kept = is_held ? place : s->kept;
	}
	s->frame.at += m->length;
	if (m->kind == MOVE_JUMP || m->kind == MOVE_JUMP_SET)
		s->frame.at = m->target;
	if (m->kind == MOVE_CALL) {
		s->held &= KEPT;
		s->loaded &= KEPT;
	}
}

/* The type of `this` in the function, if it is a constructor. */
static bool constructed_type(struct search *s, const Dwarf_Die *function, Dwarf_Die *pointee)
{
	const char *name = symbols_inherited_string(s->frame.f, function, DW_AT_name), *of;
	Dwarf_Die at = *function, child, memory, bare;
	int hops = 0;

	do {
		if (dwarf_child(&at, &child) != 0 || dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    !frame_pointee(symbols_type_of(&child, &memory), pointee) ||
		    !peel(pointee, &bare))
			continue;
		of = dwarf_diename(&bare);
		return name != NULL && of != NULL && strlen(name) == strcspn(of, "<") &&
		       strncmp(name, of, strlen(name)) == 0;
	} while (hops++ < MOST_HOPS && symbols_follow_origin(s->frame.f, &at));
	return false;
}

static bool was_around(const struct search *s, const Dwarf_Die *scope)
{
	for (size_t i = 0; i < s->first_count; i++)
		if (s->first[i] == scope->addr)
			return true;
	return false;
}

/* Behind operator new an inlined constructor begins: the outermost is that of the new object. */
static bool look_at_constructor(struct search *s, Dwarf_Die *pointee)
{
	for (size_t i = 0; i < s->frame.scope_count; i++)
		if (dwarf_tag(&s->frame.scopes[i]) == DW_TAG_inlined_subroutine &&
		    !was_around(s, &s->frame.scopes[i]) &&
		    constructed_type(s, &s->frame.scopes[i], pointee)) {
			s->is_guess = true;
			return true;
		}
	return false;
}

/* Follow the result from the call on until something says what it points to. */
static bool follow(struct search *s, Dwarf_Die *pointee)
{
	for (; s->first_count < s->frame.scope_count; s->first_count++)
		s->first[s->first_count] = s->frame.scopes[s->first_count].addr;
	for (int step = 0; step < MOST_STEPS && (s->held != 0 || s->is_kept); step++) {
		unsigned char bytes[SYMBOLS_CODE_BYTES];
		struct move m;

		frame_enter(&s->frame, s->frame.at);
		if (look_at_constructor(s, pointee) || look_in_registers(s, pointee))
			return true;
		if (!moves_read(bytes,
				symbols_read_code(s->frame.f, s->frame.at, bytes, sizeof(bytes)),
				s->frame.at, &m))
			return false;
		if (((m.kind == MOVE_STORE || m.has_index) && look_at_store(s, &m, pointee)) ||
		    (m.kind == MOVE_CALL && look_at_call(s, m.target, pointee)))
			return true;
		change(s, &m);
	}
	return false;
}

/* ---- Functions ---- */

static bool is_function(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subprogram || dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

/* The first argument of a template; of an array its elements. */
static bool argument_of(struct search *s, const Dwarf_Die *function, Dwarf_Die *type)
{
	Dwarf_Die at = *function, child, bare;
	int hops = 0;

	do {
		if (dwarf_child(&at, &child) != 0)
			continue;
		do {
			if (dwarf_tag(&child) != DW_TAG_template_type_parameter)
				continue;
			return symbols_type_of(&child, type) != NULL &&
			       (!peel(type, &bare) || dwarf_tag(&bare) != DW_TAG_array_type ||
				symbols_type_of(&bare, type) != NULL);
		} while (dwarf_siblingof(&child, &child) == 0);
	} while (hops++ < MOST_HOPS && symbols_follow_origin(s->frame.f, &at));
	return false;
}

/* std::allocator<T>::allocate and its kin return a pointer to T. */
static bool look_at_functions(struct search *s, Dwarf_Die *pointee)
{
	for (size_t i = s->frame.scope_count; i-- > 0;) {
		const char *name =
			symbols_inherited_string(s->frame.f, &s->frame.scopes[i], DW_AT_name);
		Dwarf_Die memory;

		if (!is_function(&s->frame.scopes[i]) || name == NULL)
			continue;
		if (strcmp(name, "allocate") == 0 &&
		    frame_pointee(symbols_type_of(&s->frame.scopes[i], &memory), pointee))
			return true;
		if (strncmp(name, "make_unique", 11) == 0 &&
		    argument_of(s, &s->frame.scopes[i], pointee))
			return true;
	}
	return false;
}

/*
 * In Rust the functions around the allocator's call say of what: "T" of Box<T>::new, of Vec<T> and
 * so on; the innermost that says so.
 */
static bool look_at_arguments(struct search *s, Dwarf_Die *pointee)
{
	Dwarf_Die at, child;
	Dwarf_Word bytes;
	int hops;

	for (size_t i = s->frame.scope_count; i-- > 0;) {
		if (!is_function(&s->frame.scopes[i]))
			continue;
		at = s->frame.scopes[i];
		hops = 0;
		do {
			if (dwarf_child(&at, &child) != 0)
				continue;
			do {
				const char *name = dwarf_diename(&child);

				if (dwarf_tag(&child) == DW_TAG_template_type_parameter &&
				    name != NULL && strcmp(name, "T") == 0 &&
				    symbols_type_of(&child, pointee) != NULL &&
				    dwarf_aggregate_size(pointee, &bytes) == 0 && bytes > 0)
					return true;
			} while (dwarf_siblingof(&child, &child) == 0);
		} while (hops++ < MOST_HOPS && symbols_follow_origin(s->frame.f, &at));
	}
	return false;
}

static bool is_rust(const struct search *s)
{
	Dwarf_Die function = s->frame.scopes[0], unit;

	return dwarf_diecu(&function, &unit, NULL, NULL) != NULL &&
	       dwarf_srclang(&unit) == DW_LANG_Rust;
}

/*
 * Beginnings of the names of functions that allocate for others: those in Rust's containers, and
 * those of libraries, which mostly have no debug information.
 */
static bool is_wrapper(const char *name)
{
	static const char *const beginnings[] = {
		"alloc::",  "<alloc::",	 "hashbrown::",	 "<hashbrown::",    "std::",   "<std::",
		"g_malloc", "g_realloc", "g_try_malloc", "g_slice_alloc",   "xmalloc", "xcalloc",
		"xzalloc",  "xrealloc",	 "PyMem_",	 "PyObject_Malloc",
	};

	for (size_t i = 0; name != NULL && i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

static bool is_wrapper_at(struct symbols_file *f, uint64_t address)
{
	struct arena names = {0};
	const struct symbols_entry *e = symbols_table_find(f, address);
	const bool is_one = e != NULL && is_wrapper(symbols_demangle(&names, e->name));

	arena_release(&names);
	return is_one;
}

/* Does the function return memory of any type, as xmalloc does: a void * or char *? */
static bool is_for_others(Dwarf_Die *function)
{
	Dwarf_Die memory, bare, last, *target, *type = symbols_type_of(function, &memory);
	Dwarf_Word bytes;

	if (!peel(type, &bare) || dwarf_tag(&bare) != DW_TAG_pointer_type)
		return false;
	target = symbols_type_of(&bare, &last);
	return target == NULL || !peel(target, &memory) ||
	       (dwarf_tag(&memory) == DW_TAG_base_type &&
		dwarf_aggregate_size(&memory, &bytes) == 0 && bytes == 1);
}

/* ---- Functions that hand the block on ---- */

#define MOST_FUNCTIONS 32u
/* Registers with a function's arguments: rcx, rdx, rsi, rdi, r8, r9. */
#define ARGUMENTS 0x3c6u

/*
 * The functions around a call, the innermost first. A function hands the block on if it only
 * returns it, as memory of any type: it does not write there, nor puts the address anywhere else.
 * One that returns a void * may have one function clear it.
 */
struct handing {
	const void *functions[MOST_FUNCTIONS]; /* by their addresses in memory */
	unsigned count;
	bool may_fill;
	uint32_t keeps; /* a bit for each function that does not hand it on */
};

static bool returns_void_pointer(Dwarf_Die *function)
{
	Dwarf_Die memory, bare;

	return peel(symbols_type_of(function, &memory), &bare) &&
	       dwarf_tag(&bare) == DW_TAG_pointer_type && symbols_type_of(&bare, &memory) == NULL;
}

static void list_functions(struct search *s, struct handing *h)
{
	*h = (struct handing){0};
	for (size_t i = s->frame.scope_count; i-- > 0 && h->count < MOST_FUNCTIONS;) {
		if (!is_function(&s->frame.scopes[i]))
			continue;
		if (!is_for_others(&s->frame.scopes[i]))
			h->keeps |= 1u << h->count;
		if (h->count == 0)
			h->may_fill = returns_void_pointer(&s->frame.scopes[i]);
		h->functions[h->count++] = s->frame.scopes[i].addr;
	}
}

/* A bit for each of the functions that has the instruction. */
static uint32_t around(const struct search *s, const struct handing *h)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < h->count; i++)
		for (size_t k = 0; k < s->frame.scope_count; k++)
			if (s->frame.scopes[k].addr == h->functions[i])
				bits |= 1u << i;
	return bits;
}

static bool uses_block(const struct search *s, const struct handing *h, const struct move *m)
{
	const bool is_in_block = m->writes && m->base < MOVES_REGISTERS && s->held >> m->base & 1;
	const bool is_address = (m->kind == MOVE_STORE || m->has_index) && s->held >> m->from & 1;
	int64_t place;

	if (is_in_block || m->has_index)
		return true;
	if (is_address && !frame_place(&s->frame, m->base, m->displacement, &place))
		return true;
	return m->kind == MOVE_CALL && s->held & ARGUMENTS && !h->may_fill;
}

/* How many functions hand the result of the call before the first instruction on. */
static uint32_t count_handing(struct search *s)
{
	struct handing h;
	uint32_t left = 0, n = 0;
	bool is_returned = false;

	list_functions(s, &h);
	for (int step = 0; step < MOST_STEPS && (s->held != 0 || s->is_kept); step++) {
		unsigned char bytes[SYMBOLS_CODE_BYTES];
		struct move m;
		bool fills;

		frame_enter(&s->frame, s->frame.at);
		if (!moves_read(bytes,
				symbols_read_code(s->frame.f, s->frame.at, bytes, sizeof(bytes)),
				s->frame.at, &m))
			break;
		left = ~around(s, &h);
		is_returned = m.kind == MOVE_RETURN && s->held >> MOVES_RAX & 1;
		if (m.kind == MOVE_RETURN)
			break;
		if (uses_block(s, &h, &m))
			h.keeps |= h.count > 0 ? ~left : 1;
		fills = m.kind == MOVE_CALL && s->held >> MOVES_RDI & 1;
		h.may_fill &= !fills;
		change(s, &m);
		s->held |= fills ? 1u << MOVES_RAX : 0; /* as memset returns it */
	}
	if (is_returned && h.keeps == 0)
		return h.count > 0 ? SYMBOLS_HANDED_BY_ALL : SYMBOLS_HANDED_UNTYPED;
	while (n < h.count && left >> n & ~h.keeps >> n & 1)
		n++;
	return n;
}

static uint32_t handed_at(struct symbols_file *f, uint64_t address)
{
	struct search s = {.frame = {.f = f, .at = address + 1}, .held = 1u << MOVES_RAX};
	uint64_t around = address;

	if (f->sources & SYMBOLS_BY_TYPES)
		s.frame.scope_count = symbols_dwarf_scopes(f, &around, s.frame.scopes);
	s.frame.shift = around - address;
	if (s.frame.scope_count > 0 && results_is_go(&s.frame))
		return 0;
	return count_handing(&s);
}

bool symbols_find_result(struct symbols_file *f, uint64_t address, struct symbols_result *out)
{
	struct search s = {.frame = {.f = f, .at = address + 1}, .held = 1u << MOVES_RAX};
	uint64_t around = address;
	Dwarf_Die pointee;

	*out = (struct symbols_result){0};
	symbols_open(f);
	if (f->module == NULL)
		return false;
	out->handed = handed_at(f, address);
	if (!(f->sources & SYMBOLS_BY_TYPES))
		return false;
	s.frame.scope_count = symbols_dwarf_scopes(f, &around, s.frame.scopes);
	if (s.frame.scope_count == 0) {
		out->is_for_others = is_wrapper_at(f, address);
		return out->is_for_others;
	}
	s.frame.shift = around - address;
	if (f->variables == NULL)
		f->variables = symbols_variables_new(f);
	if (f->variables == NULL)
		return false;
	if (results_is_go(&s.frame)) {
		const char *name =
			symbols_function_name(f, &f->variables->arena, &s.frame.scopes[0]);

		out->is_for_others = name != NULL && strncmp(name, "runtime.", 8) == 0;
		if (results_look_at_go(&s.frame, address, f->variables, &pointee))
			out->layout = symbols_layout_of(f->variables, &pointee);
		return out->layout != NULL || out->is_for_others;
	}
	if (is_rust(&s)) {
		out->is_for_others = is_wrapper(
			symbols_function_name(f, &f->variables->arena, &s.frame.scopes[0]));
		out->is_element = true;
		if (look_at_arguments(&s, &pointee))
			out->layout = symbols_layout_of(f->variables, &pointee);
		return out->layout != NULL || out->is_for_others;
	}
	out->is_for_others = is_for_others(&s.frame.scopes[0]);
	if (look_at_functions(&s, &pointee) || follow(&s, &pointee))
		out->layout = symbols_layout_of(f->variables, &pointee);
	out->is_guess = s.is_guess;
	return out->layout != NULL || out->is_for_others;
}
