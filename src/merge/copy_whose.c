/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies a simulation's misses by data structure, and its stretches, with new ids. */
#include <stdlib.h>

#include "merge/private.h"
#include "store/layouts.h"
#include "store/patterns.h"
#include "store/stretches.h"
#include "store/whose.h"

static int put_structures(struct copying *c, struct store_structure *x, struct err *err)
{
	x->id = shifted(x->id, c->by.structure);
	x->process_id = shifted(x->process_id, c->by.process);
	x->site_id = shifted(x->site_id, c->by.site);
	move_image(c, &x->image);
	use_id(&c->next.structure, x->id);
	return store_put_structure(c->out, x, err);
}

COPY_EACH(structures, struct store_structure,
	  store_read_structures(c->in, STORE_ALL, &items, &count, err))

static int put_bins(struct copying *c, struct store_bin *x, struct err *err)
{
	x->structure_id = shifted(x->structure_id, c->by.structure);
	x->location_id = shifted(x->location_id, c->by.location);
	return store_put_bin(c->out, x, err);
}

COPY_EACH(bins, struct store_bin, store_read_bins(c->in, STORE_ALL, &items, &count, err))

static int put_ranges(struct copying *c, struct store_bin_range *x, struct err *err)
{
	x->structure_id = shifted(x->structure_id, c->by.structure);
	x->location_id = shifted(x->location_id, c->by.location);
	return store_put_bin_range(c->out, x, err);
}

COPY_EACH(ranges, struct store_bin_range,
	  store_read_bin_ranges(c->in, STORE_ALL, &items, &count, err))

static int put_operands(struct copying *c, struct store_operand *x, struct err *err)
{
	x->location_id = shifted(x->location_id, c->by.location);
	return store_put_operand(c->out, x, err);
}

COPY_EACH(operands, struct store_operand, store_read_operands(c->in, &items, &count, err))

static int put_evictions(struct copying *c, struct store_eviction *x, struct err *err)
{
	x->structure_id = shifted(x->structure_id, c->by.structure);
	x->location_id = shifted(x->location_id, c->by.location);
	x->evictor_structure_id = shifted(x->evictor_structure_id, c->by.structure);
	x->evictor_location_id = shifted(x->evictor_location_id, c->by.location);
	return store_put_eviction(c->out, x, err);
}

COPY_EACH(evictions, struct store_eviction,
	  store_read_evictions(c->in, STORE_ALL, &items, &count, err))

static int put_references(struct copying *c, struct store_references *x, struct err *err)
{
	x->structure_id = shifted(x->structure_id, c->by.structure);
	x->location_id = shifted(x->location_id, c->by.location);
	return store_put_references(c->out, x, err);
}

COPY_EACH(references, struct store_references,
	  store_read_references(c->in, STORE_ALL, &items, &count, err))

static int put_stretches(struct copying *c, struct store_stretch *x, struct err *err)
{
	x->process_id = shifted(x->process_id, c->by.process);
	return store_put_stretch(c->out, x, err);
}

COPY_EACH(stretches, struct store_stretch,
	  store_read_stretches(c->in, STORE_ALL, &items, &count, err))

static int put_contrasts(struct copying *c, struct store_contrasts *x, struct err *err)
{
	x->process_id = shifted(x->process_id, c->by.process);
	x->structure_id = shifted(x->structure_id, c->by.structure);
	x->location_id = shifted(x->location_id, c->by.location);
	return store_put_contrasts(c->out, x, err);
}

COPY_EACH(contrasts, struct store_contrasts,
	  store_read_contrasts(c->in, STORE_ALL, &items, &count, err))

static int put_patterns(struct copying *c, struct store_pattern *x, struct err *err)
{
	x->structure_id = shifted(x->structure_id, c->by.structure);
	return store_put_pattern(c->out, x, err);
}

COPY_EACH(patterns, struct store_pattern,
	  store_read_patterns(c->in, STORE_ALL, &items, &count, err))

int copy_whose(struct copying *c, struct err *err)
{
	if (copy_structures(c, err) != 0 || copy_bins(c, err) != 0 || copy_ranges(c, err) != 0 ||
	    copy_operands(c, err) != 0 || copy_references(c, err) != 0 ||
	    copy_patterns(c, err) != 0 || copy_stretches(c, err) != 0 ||
	    copy_contrasts(c, err) != 0)
		return -1;
	return copy_evictions(c, err);
}
