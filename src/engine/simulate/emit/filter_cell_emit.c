/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter variant: code that loads the cell of a line. */
#include "engine/simulate/emit/filter_parts.h"
#include "engine/simulate/state/filter_forms.h"

/* second = the number of the region of the line in r. */
static void emit_region(struct job *j, enum reg second, enum reg r, bool is_live)
{
	const uint8_t left = 64 - FILTER_LINE_BITS;

	if (is_live) {
		emit_bits(&j->o, second, r, &j->arena->data->region_mask, left,
			  FILTER_REGION_SHIFT);
		return;
	}
	emit_mov(&j->o, second, r);
	emit_shr(&j->o, second, FILTER_REGION_SHIFT);
}

/*
 * In pieces the offset of the region is in a second register: the one that is free, or one whose
 * value waits in memory.
 */
static const uint8_t *emit_cell_of_piece(struct job *j, enum reg r, bool is_live, bool has_free)
{
	const enum reg second = has_free ? j->scratch2 : r == RAX ? RDX : RAX;
	const uint8_t *end;

	if (!has_free)
		emit_move_abs(&j->o, second, FILTER_SECOND, true);
	emit_region(j, second, r, is_live);
	emit_load_indexed(&j->o, second, FILTER_OFFSETS);
	emit_load_cell_behind(&j->o, r, second);
	end = j->o.p;
	if (!has_free)
		emit_move_abs(&j->o, second, FILTER_SECOND, false);
	return end;
}

const uint8_t *filter_emit_cell(struct job *j, enum reg r, bool is_live, bool has_free)
{
	if (filter_pieces.are_on)
		return emit_cell_of_piece(j, r, is_live, has_free);
	emit_load_cell(&j->o, r);
	return j->o.p;
}
