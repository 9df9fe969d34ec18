/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds variables by their place; see frame.h. */
#include "symbols/frame.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "symbols/moves.h"

/* ---- Types ---- */

static bool peel(Dwarf_Die *type, Dwarf_Die *bare)
{
	return type != NULL && dwarf_peel_type(type, bare) == 0;
}

bool frame_pointee(Dwarf_Die *type, Dwarf_Die *pointee)
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

bool frame_place(const struct frame *s, unsigned number, int64_t displacement, int64_t *place)
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
static bool slot_of(const struct frame *s, const Dwarf_Op *ops, size_t count, int64_t *slot)
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
		frame_place(s, MOVES_RBP, *slot, slot));
}

static bool fits(const struct frame *s, Dwarf_Die *die, const struct frame_wanted *w,
		 Dwarf_Die *type, uint64_t *offset)
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

bool frame_find(struct frame *s, const struct frame_wanted *w, Dwarf_Die *type, uint64_t *offset)
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

void frame_enter(struct frame *s, uint64_t at)
{
	Dwarf_Die scopes[SYMBOLS_MAX_SCOPES];
	uint64_t address = at;
	const size_t count = symbols_dwarf_scopes(s->f, &address, scopes);

	s->at = at;
	if (count == 0)
		return;
	memcpy(s->scopes, scopes, count * sizeof(scopes[0]));
	s->scope_count = count;
}
