/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads expressions for the place of a variable; see expressions.h. */
#include "symbols/expressions.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/symbols.h"

/* Read DW_OP_plus_uconst, if present, up to the end of the expression. */
static bool read_offset(const unsigned char *at, const unsigned char *end, uint64_t *offset)
{
	unsigned shift = 0;

	*offset = 0;
	if (at == end)
		return true;
	if (*at++ != DW_OP_plus_uconst)
		return false;
	for (; at < end && shift < 63; shift += 7) {
		*offset |= (uint64_t)(*at & 0x7f) << shift;
		if ((*at++ & 0x80) == 0)
			return at == end;
	}
	return false;
}

bool symbols_read_address(const unsigned char *at, size_t bytes, uint64_t *address)
{
	uint64_t offset;

	memcpy(address, at + 1, ADDRESS_BYTES);
	if (!read_offset(at + SHORTEST, at + bytes, &offset))
		return false;
	*address += offset;
	return true;
}

bool symbols_read_local(const unsigned char *at, size_t bytes, uint64_t *address)
{
	uint64_t offset;

	if (bytes < LOCAL_BYTES || at[0] != DW_OP_const8u ||
	    (at[LOCAL_BYTES - 1] != DW_OP_form_tls_address &&
	     at[LOCAL_BYTES - 1] != DW_OP_GNU_push_tls_address))
		return false;
	memcpy(address, at + 1, ADDRESS_BYTES);
	if (*address >= SYMBOLS_LOCALS || !read_offset(at + LOCAL_BYTES, at + bytes, &offset) ||
	    offset >= SYMBOLS_LOCALS)
		return false;
	*address += offset + SYMBOLS_LOCALS;
	return true;
}
