/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Validates records from a ring: a broken target may write anything there. */
#ifndef DWELL_COLLECTOR_RECORD_CHECK_H
#define DWELL_COLLECTOR_RECORD_CHECK_H

#include <stddef.h>

#include "channel/channel.h"

/*
 * Checks type, lengths, that strings end inside the record, and that numbers are possible. `h` is a
 * private copy of h->bytes bytes. Returns NULL, or a short description of the fault.
 */
const char *record_check(const struct record_header *h);

/* The same for a copy of a slot's counters. */
const char *record_check_counters(const struct channel_counters *c);

/* The text after a record's fixed part. Valid only after record_check. */
const char *record_process_strings(const struct record_process *p);
const char *record_module_path(const struct record_module *m);

/* The name of a region; empty: the name is removed. */
const char *record_region_name(const struct record_region *g);

/* The text of a RECORD_MESSAGE; it ends at a NUL or after *bytes. */
const char *record_message_text(const struct record_header *h, size_t *bytes);

/* One for each bit of f->sizes, the lowest first. Valid only after record_check. */
const struct far_line *record_far_lines(const struct record_far *f);

/* The return addresses of a call path, p->depth of them. Valid only after record_check. */
const uint64_t *record_path_path(const struct record_path *p);
/* The return addresses of a site's path, s->depth of them. Valid only after record_check. */
const uint64_t *record_site_path(const struct record_site *s);

/*
 * The instructions of a segment, s->parts of them, and the events of those that have any. Valid
 * only after record_check.
 */
const struct segment_part *record_segment_parts(const struct record_segment *s);
const uint64_t *record_segment_events(const struct record_segment *s);
/* The inclusive costs of an arc, a->events of them. Valid only after record_check. */
const uint64_t *record_arc_values(const struct record_arc *a);

const uint64_t *record_stream_entries(const struct record_stream *s);
const uint64_t *record_lines_entries(const struct record_lines *l);
const uint64_t *record_probes_entries(const struct record_probes *p);

#endif
