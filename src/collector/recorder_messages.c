/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages for the user, which the profile keeps: from engines, about limits, and about distrusted
 * processes.
 */
#include "base/clock.h"
#include "base/text.h"
#include "collector/record_check.h"
#include "collector/recorder.h"
#include "collector/recorder_parts.h"

/* A broken target can fill only bounded memory. */
#define MAX_MESSAGES 1000

static void put_message(struct recorder *r, int64_t process, const char *text)
{
	struct store_message row = {process, clock_now_ns(), text};

	if (r->messages++ < MAX_MESSAGES)
		note(r, store_put_message(r->store, &row, &r->err));
}

/*
 * Add a message of a process. Returns the line, which lives as long as the recorder; NULL without
 * memory.
 */
static const char *add_line(struct recorder *r, const struct process *p, struct text *line)
{
	const char *kept =
		r->messages < MAX_MESSAGES ? arena_strdup(&r->strings, text_get(line)) : NULL;

	put_message(r, p->row.id, text_get(line));
	text_release(line);
	return kept;
}

void recorder_message(struct recorder *r, const char *text)
{
	if (!r->failed)
		put_message(r, STORE_NONE, text);
}

const char *recorder_on_message(struct recorder *r, struct process *p,
				const struct record_header *h)
{
	struct text line = {0};
	size_t bytes;
	const char *text = record_message_text(h, &bytes), *kept;

	text_add_printable(&line, text, bytes);
	kept = add_line(r, p, &line);
	if (r->first_message == NULL)
		r->first_message = kept;
	return NULL;
}

void recorder_report_limit(struct recorder *r, struct process *p, enum recorder_limit limit)
{
	static const char *const texts[] = {
		[LIMIT_MODULES] = "process %u has mapped more files of code than are followed: "
				  "code in later ones has no names",
		[LIMIT_REGIONS] = "process %u has given more names to its memory than are kept: "
				  "later ones are left out",
		[LIMIT_INHERITED] =
			"the run's processes have inherited more mappings than are followed: "
			"code of process %u and of those forked after it has no names before an "
			"exec",
	};
	uint32_t *told = limit == LIMIT_INHERITED ? &r->reported_limits : &p->reported_limits;
	struct text line = {0};
	const char *kept;

	if (*told >> limit & 1)
		return;
	*told |= 1u << limit;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	text_addf(&line, texts[limit], p->row.pid);
#pragma GCC diagnostic pop
	kept = add_line(r, p, &line);
	if (r->first_message == NULL)
		r->first_message = kept;
}

const char *recorder_refuse(struct recorder *r, struct process *p, const char *why)
{
	struct text line = {0};

	text_addf(&line, "process %u wrote %s into its channel: it is not followed any more",
		  p->row.pid, why);
	return add_line(r, p, &line);
}
