/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ELF files of an event profile's code, in their current state. */
#ifndef DWELL_EVENTS_EVENT_OBJECT_H
#define DWELL_EVENTS_EVENT_OBJECT_H

#include "base/text.h"
#include "events/events.h"
#include "events/machine_code.h"

/*
 * Open the machine code of the file at this path; the caller closes it. Returns NULL if it cannot
 * be read, or differs from the one that ran. A line in `notes` (NULL: none) says so, or warns that
 * the file may differ.
 */
struct machine_code *event_object_open(const struct event_profile *p, const char *path,
				       struct text *notes);

#endif
