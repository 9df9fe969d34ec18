/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ELF files that the code of an event profile is from, as they are now. */
#ifndef DWELL_EVENTS_EVENT_OBJECT_H
#define DWELL_EVENTS_EVENT_OBJECT_H

#include "base/text.h"
#include "events/events.h"
#include "events/machine_code.h"

/*
 * Open the machine code of the file at this path; the caller closes it. NULL where it cannot be
 * read, or differs from the one that ran. A line in `notes` (NULL: none) says so, and warns where
 * the file may differ.
 */
struct machine_code *event_object_open(const struct event_profile *p, const char *path,
				       struct text *notes);

#endif
