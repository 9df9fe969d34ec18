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
#include <unistd.h>

#include <elfutils/libdw.h>

#include "symbols/moves.h"
#include "symbols/variable_index.h"

#define MOST_STEPS 24	   /* instructions that are followed behind a call */
#define MOST_BYTES 15	   /* of an instruction */
#define MOST_HOPS  16	   /* from a call to its function; damaged files have cycles */
#define KEPT	   0xf028u /* registers that a call keeps: rbx, rbp, r12 to r15 */
#define CFA_OF_RBP 16	   /* bytes from rbp to the frame's address, in a function that sets rbp */

struct search {
	struct symbols_file *f;
	uint64_t at;	/* address of the next instruction, in the file */
	uint64_t shift; /* DWARF addresses are these plus shift */
	unsigned held;	/* a bit for each register that has the result */
	/* Registers loaded from the frame, at these places. */
	unsigned loaded;
	int64_t slots[MOVES_REGISTERS];
	/* Place in the frame that also has the result. */
	bool is_kept;
	int64_t kept;
	Dwarf_Die scopes[SYMBOLS_MAX_SCOPES];
	size_t scope_count;
	/* Those around the call, by their addresses in memory. */
	const void *first[SYMBOLS_MAX_SCOPES];
	size_t first_count;
	bool is_artificial; /* the variable that was found last: `this` */
	bool is_guess;	    /* the type is that of a constructor, perhaps of an argument */
};

/* ---- Types ---- */

static bool peel(Dwarf_Die *type, Dwarf_Die *bare)
{
	return type != NULL && dwarf_peel_type(type, bare) == 0;
}

/* What a pointer of this type points to; of Fortran's allocatable arrays an element. */
static bool pointee_of(Dwarf_Die *type, Dwarf_Die *pointee)
{
	Dwarf_Die bare, last;
	Dwarf_Word bytes;

	if (!peel(type, &bare))
		return false;
	if (dwarf_tag(&bare) != DW_TAG_pointer_type && !dwarf_hasattr(&bare, DW_AT_data_location))
		return false;
	return symbols_type_of(&bare, pointee) != NULL && peel(pointee, &last) &&
	       dwarf_tag(&last) != DW_TAG_subroutine_type &&
	       dwarf_aggregate_size(&last, &bytes) == 0 && bytes > 0;
}

/* ---- Variables ---- */

/* The expression of a variable's place at the address. Returns false if it has none. */
static bool place_of(Dwarf_Die *die, uint64_t address, Dwarf_Op **ops, size_t *count)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_location, &attribute) != NULL &&
	       dwarf_getlocation_addr(&attribute, address, ops, count, 1) == 1;
}

/* The numbers of DWARF for the lower registers. */
static unsigned dwarf_register(unsigned number)
{
	static const unsigned char names[] = {0, 2, 1, 3, 7, 6, 4, 5};

	return number < sizeof(names) ? names[number] : number;
}

/*
 * Tell whether the register has the variable, or the part of it at *offset: compilers keep members
 * of a structure in registers of their own.
 */
static bool is_in_register(const Dwarf_Op *ops, size_t count, unsigned number, uint64_t *offset)
{
	const Dwarf_Op *last = NULL;

	*offset = 0;
	for (size_t i = 0; i < count; i++) {
		if (ops[i].atom != DW_OP_piece) {
			last = &ops[i];
			continue;
		}
		if (last != NULL && last->atom == DW_OP_reg0 + dwarf_register(number))
			return true;
		*offset += ops[i].number;
		last = NULL;
	}
	return count == 1 && last != NULL && last->atom == DW_OP_reg0 + dwarf_register(number);
}

/*
 * The place in the frame that a register points to, with the displacement, relative to the frame's
 * address (CFA): by the call frame information.
 */
static bool place_in_frame(const struct search *s, unsigned number, int64_t displacement,
			   int64_t *place)
{
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(s->f->module, &bias);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t count;
	bool found;

	if (cfi == NULL || dwarf_cfi_addrframe(cfi, s->at + s->f->bias - bias, &frame) != 0)
		return false;
	found = dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1 &&
		ops[0].atom == DW_OP_bregx && ops[0].number == dwarf_register(number);
	if (found)
		*place = displacement - (int64_t)ops[0].number2;
	free(frame);
	return found;
}

/* The place of a variable in the frame, relative to its address, and of its part there. */
static bool slot_of(const struct search *s, const Dwarf_Op *ops, size_t count, int64_t *slot)
{
	Dwarf_Attribute attribute;
	Dwarf_Die function = s->scopes[0];
	Dwarf_Op *base;
	size_t bases;

	if (count != 1 || ops[0].atom != DW_OP_fbreg ||
	    dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) == NULL ||
	    dwarf_getlocation_addr(&attribute, s->at + s->shift, &base, &bases, 1) != 1 ||
	    bases != 1)
		return false;
	*slot = (int64_t)ops[0].number;
	return base[0].atom == DW_OP_call_frame_cfa ||
	       (base[0].atom == DW_OP_reg0 + dwarf_register(MOVES_RBP) &&
		place_in_frame(s, MOVES_RBP, *slot, slot));
}

/* A variable is asked for by its register, or by its place in the frame. */
struct wanted {
	unsigned number;
	bool is_slot;
	int64_t slot;
};

static bool fits(const struct search *s, Dwarf_Die *die, const struct wanted *w, Dwarf_Die *type,
		 uint64_t *offset)
{
	Dwarf_Word bytes;
	Dwarf_Op *ops;
	size_t count;
	int64_t slot;

	if (!place_of(die, s->at + s->shift, &ops, &count) || symbols_type_of(die, type) == NULL)
		return false;
	*offset = 0;
	if (!w->is_slot)
		return is_in_register(ops, count, w->number, offset);
	if (!slot_of(s, ops, count, &slot) || slot > w->slot ||
	    dwarf_aggregate_size(type, &bytes) != 0)
		return false;
	*offset = (uint64_t)(w->slot - slot);
	return *offset < bytes;
}

/* Find a variable of the blocks around, the innermost first: its type, and the offset in it. */
static bool find_variable(struct search *s, const struct wanted *w, Dwarf_Die *type,
			  uint64_t *offset)
{
	for (size_t i = s->scope_count; i-- > 0;) {
		Dwarf_Die die;

		if (dwarf_child(&s->scopes[i], &die) != 0)
			continue;
		do {
			const int tag = dwarf_tag(&die);

			if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
			    fits(s, &die, w, type, offset)) {
				s->is_artificial = dwarf_hasattr_integrate(&die, DW_AT_artificial);
				return true;
			}
		} while (dwarf_siblingof(&die, &die) == 0);
	}
	return false;
}

/* A variable in one of the registers with the result points to the block. */
static bool look_in_registers(struct search *s, Dwarf_Die *pointee)
{
	for (unsigned number = 0; number < MOVES_REGISTERS; number++) {
		const struct wanted w = {.number = number};
		uint64_t offset;
		Dwarf_Die type, member;

		if (s->held >> number & 1 && find_variable(s, &w, &type, &offset) &&
		    symbols_member_at(&type, offset, &member) && pointee_of(&member, pointee)) {
			s->is_guess = s->is_artificial; /* perhaps `this` of a base class */
			return true;
		}
	}
	return false;
}

/* ---- Moves ---- */

/* The type of what lies at base + displacement, which is stored to. */
static bool stored_type(struct search *s, const struct move *m, Dwarf_Die *type, uint64_t *offset)
{
	struct wanted w = {.is_slot = true};
	Dwarf_Die pointer;
	uint64_t start;

	if (m->base == MOVES_RIP) {
		if (!symbols_variable_die(s->f, (uint64_t)m->displacement, type, &start) ||
		    symbols_type_of(type, type) == NULL)
			return false;
		*offset = (uint64_t)m->displacement - start;
		return true;
	}
	if (place_in_frame(s, m->base, m->displacement, &w.slot) &&
	    find_variable(s, &w, type, offset))
		return true;
	w = (struct wanted){.number = m->base};
	if (s->loaded >> m->base & 1)
		w = (struct wanted){.is_slot = true, .slot = s->slots[m->base]};
	if (m->displacement < 0 || !find_variable(s, &w, &pointer, &start) || start != 0 ||
	    !pointee_of(&pointer, type))
		return false;
	*offset = (uint64_t)m->displacement;
	return true;
}

static bool look_at_store(struct search *s, const struct move *m, Dwarf_Die *pointee)
{
	Dwarf_Die type, member;
	uint64_t offset;

	return s->held >> m->from & 1 && stored_type(s, m, &type, &offset) &&
	       symbols_member_at(&type, offset, &member) && pointee_of(&member, pointee);
}

/* The result is the first argument of a call: in C++ a constructor's `this`. */
static bool look_at_call(struct search *s, uint64_t target, Dwarf_Die *pointee)
{
	Dwarf_Die scopes[SYMBOLS_MAX_SCOPES], die, memory;

	if (!(s->held >> MOVES_RDI & 1) || symbols_dwarf_scopes(s->f, &target, scopes) == 0 ||
	    dwarf_child(&scopes[0], &die) != 0)
		return false;
	do {
		if (dwarf_tag(&die) == DW_TAG_formal_parameter)
			return pointee_of(symbols_type_of(&die, &memory), pointee);
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
	if (m->kind == MOVE_LOAD && place_in_frame(s, m->base, m->displacement, &place)) {
		s->loaded |= bit;
		s->slots[m->to] = place;
		s->held |= s->is_kept && place == s->kept ? bit : 0;
	}
	if (m->kind == MOVE_STORE && place_in_frame(s, m->base, m->displacement, &place)) {
		s->is_kept = is_held || (s->is_kept && s->kept != place);
		s->kept = is_held ? place : s->kept;
	}
	s->at += m->length;
	if (m->kind == MOVE_JUMP || m->kind == MOVE_JUMP_SET)
		s->at = m->target;
	if (m->kind == MOVE_CALL) {
		s->held &= KEPT;
		s->loaded &= KEPT;
	}
}

static size_t read_code(const struct symbols_file *f, uint64_t address,
			unsigned char bytes[MOST_BYTES])
{
	for (size_t i = 0; i < f->segment_count; i++) {
		const struct symbols_segment *g = &f->segments[i];
		ssize_t n;

		if (address < g->address || address - g->address >= g->bytes)
			continue;
		n = pread(f->fd, bytes, MOST_BYTES, (off_t)(g->offset + (address - g->address)));
		return n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* The type of `this` in the function, if it is a constructor. */
static bool constructed_type(struct search *s, const Dwarf_Die *function, Dwarf_Die *pointee)
{
	const char *name = symbols_inherited_string(s->f, function, DW_AT_name), *of;
	Dwarf_Die at = *function, child, memory, bare;
	int hops = 0;

	do {
		if (dwarf_child(&at, &child) != 0 || dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    !pointee_of(symbols_type_of(&child, &memory), pointee) || !peel(pointee, &bare))
			continue;
		of = dwarf_diename(&bare);
		return name != NULL && of != NULL && strlen(name) == strcspn(of, "<") &&
		       strncmp(name, of, strlen(name)) == 0;
	} while (hops++ < MOST_HOPS && symbols_follow_origin(s->f, &at));
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
	for (size_t i = 0; i < s->scope_count; i++)
		if (dwarf_tag(&s->scopes[i]) == DW_TAG_inlined_subroutine &&
		    !was_around(s, &s->scopes[i]) && constructed_type(s, &s->scopes[i], pointee)) {
			s->is_guess = true;
			return true;
		}
	return false;
}

/* The blocks around the next instruction: that of the call may have ended. */
static void enter_scopes(struct search *s)
{
	Dwarf_Die scopes[SYMBOLS_MAX_SCOPES];
	uint64_t at = s->at;
	const size_t count = symbols_dwarf_scopes(s->f, &at, scopes);

	if (count == 0)
		return;
	memcpy(s->scopes, scopes, count * sizeof(scopes[0]));
	s->scope_count = count;
}

/* Follow the result from the call on until something says what it points to. */
static bool follow(struct search *s, Dwarf_Die *pointee)
{
	for (; s->first_count < s->scope_count; s->first_count++)
		s->first[s->first_count] = s->scopes[s->first_count].addr;
	for (int step = 0; step < MOST_STEPS && (s->held != 0 || s->is_kept); step++) {
		unsigned char bytes[MOST_BYTES];
		struct move m;

		enter_scopes(s);
		if (look_at_constructor(s, pointee) || look_in_registers(s, pointee))
			return true;
		if (!moves_read(bytes, read_code(s->f, s->at, bytes), s->at, &m))
			return false;
		if ((m.kind == MOVE_STORE && look_at_store(s, &m, pointee)) ||
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

/* std::allocator<T>::allocate and its kin return a pointer to T. */
static bool look_at_functions(struct search *s, Dwarf_Die *pointee)
{
	for (size_t i = s->scope_count; i-- > 0;) {
		const char *name = symbols_inherited_string(s->f, &s->scopes[i], DW_AT_name);
		Dwarf_Die memory;

		if (is_function(&s->scopes[i]) && name != NULL && strcmp(name, "allocate") == 0 &&
		    pointee_of(symbols_type_of(&s->scopes[i], &memory), pointee))
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

	for (size_t i = s->scope_count; i-- > 0;) {
		if (!is_function(&s->scopes[i]))
			continue;
		at = s->scopes[i];
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
		} while (hops++ < MOST_HOPS && symbols_follow_origin(s->f, &at));
	}
	return false;
}

static bool is_rust(const struct search *s)
{
	Dwarf_Die function = s->scopes[0], unit;

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
static bool is_for_others(struct search *s)
{
	Dwarf_Die memory, bare, last, *target, *type = symbols_type_of(&s->scopes[0], &memory);
	Dwarf_Word bytes;

	if (!peel(type, &bare) || dwarf_tag(&bare) != DW_TAG_pointer_type)
		return false;
	target = symbols_type_of(&bare, &last);
	return target == NULL || !peel(target, &memory) ||
	       (dwarf_tag(&memory) == DW_TAG_base_type &&
		dwarf_aggregate_size(&memory, &bytes) == 0 && bytes == 1);
}

bool symbols_find_result(struct symbols_file *f, uint64_t address, struct symbols_result *out)
{
	struct search s = {.f = f, .at = address + 1, .held = 1u << MOVES_RAX};
	uint64_t around = address;
	Dwarf_Die pointee;

	*out = (struct symbols_result){0};
	symbols_open(f);
	if (f->module == NULL || !(f->sources & SYMBOLS_BY_TYPES))
		return false;
	s.scope_count = symbols_dwarf_scopes(f, &around, s.scopes);
	if (s.scope_count == 0) {
		out->is_for_others = is_wrapper_at(f, address);
		return out->is_for_others;
	}
	s.shift = around - address;
	if (f->variables == NULL)
		f->variables = symbols_variables_new(f);
	if (f->variables == NULL)
		return false;
	if (is_rust(&s)) {
		out->is_for_others =
			is_wrapper(symbols_function_name(f, &f->variables->arena, &s.scopes[0]));
		if (look_at_arguments(&s, &pointee))
			out->layout = symbols_layout_of(f->variables, &pointee);
		return out->layout != NULL || out->is_for_others;
	}
	out->is_for_others = is_for_others(&s);
	if (look_at_functions(&s, &pointee) || follow(&s, &pointee))
		out->layout = symbols_layout_of(f->variables, &pointee);
	out->is_guess = s.is_guess;
	return out->layout != NULL || out->is_for_others;
}
