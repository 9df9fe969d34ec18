/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of an event profile, by function, class, file, ... */
#ifndef DWELL_ANSWER_REPORT_H
#define DWELL_ANSWER_REPORT_H

#include "answer/answer.h"
#include "events/event_report.h"

/*
 * Answer with the rows of the report, which must outlive the answer; `most`: of text. `a` is zero
 * before. Returns -1 with *err when memory runs out.
 */
int report_of_events(struct answer *a, const struct event_report *r, size_t most, struct err *err);

#endif
