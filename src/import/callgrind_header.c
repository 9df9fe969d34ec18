/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The headers of the Callgrind format: their events, and the process of the costs. */
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "import/callgrind_private.h"
#include "store/store.h"

static int out_of_memory(struct err *err)
{
	return err_set(err, "out of memory");
}

int on_version(struct reader *r, const char *value, struct err *err)
{
	uint64_t version;

	if (read_count(value, &version) == NULL || version > 1)
		return err_set(err, "version %s of the format: this reads version 1", value);
	return 0;
}

int on_creator(struct reader *r, const char *value, struct err *err)
{
	struct text printable = {0};

	text_add_printable(&printable, value, strnlen(value, sizeof(r->creator) - 1));
	snprintf(r->creator, sizeof(r->creator), "%s", text_get(&printable));
	text_release(&printable);
	r->names.has_contexts = strncmp(value, "callgrind", strlen("callgrind")) == 0;
	return 0;
}

int on_pid(struct reader *r, const char *value, struct err *err)
{
	uint64_t pid;

	if (read_count(value, &pid) == NULL || pid > UINT32_MAX)
		return err_set(err, "'%s' is no process number", value);
	if (pid != r->pid) {
		r->has_process = false;
		r->node = STORE_NONE;
	}
	r->pid = (uint32_t)pid;
	return 0;
}

int on_thread(struct reader *r, const char *value, struct err *err)
{
	uint64_t thread;

	if (read_count(value, &thread) == NULL || thread > INT32_MAX)
		return err_set(err, "'%s' is no thread number", value);
	if (r->thread != (int64_t)thread)
		r->node = STORE_NONE;
	r->thread = (int64_t)thread;
	return 0;
}

int on_command(struct reader *r, const char *value, struct err *err)
{
	r->command = arena_strdup(&r->texts, value);
	return r->command != NULL ? 0 : out_of_memory(err);
}

/* Handle "desc: D1 cache: 32768 B, 64 B, 8-way associative". */
int on_description(struct reader *r, const char *value, struct err *err)
{
	static const char *const kept[] = {"I1 cache", "D1 cache", "L2 cache", "LL cache"};
	const char *colon = strchr(value, ':'), *text;
	size_t i;

	if (colon == NULL)
		return 0;
	text = skip_blanks(colon + 1);
	for (i = 0; i < sizeof(kept) / sizeof(kept[0]) && *text != '\0'; i++) {
		if (strlen(kept[i]) == (size_t)(colon - value) &&
		    strncmp(kept[i], value, (size_t)(colon - value)) == 0)
			return store_put_geometry(r->sink.store, kept[i], text, err);
	}
	return 0;
}

int on_positions(struct reader *r, const char *value, struct err *err)
{
	r->has_address = strstr(value, "instr") != NULL || strstr(value, "addr") != NULL;
	r->has_block = strstr(value, "bb") != NULL;
	r->has_line = strstr(value, "line") != NULL;
	if (!r->has_address && !r->has_line)
		return err_set(err, "positions '%s': neither 'instr' nor 'line'", value);
	return 0;
}

static size_t find_event(const struct reader *r, const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < r->event_count; i++) {
		if (strlen(r->events[i].name) == length &&
		    strncmp(r->events[i].name, name, length) == 0)
			break;
	}
	return i;
}

/* The event's index, added if new; SIZE_MAX after an error. */
static size_t add_event(struct reader *r, const char *name, size_t length, struct err *err)
{
	size_t i = find_event(r, name, length);

	if (i < r->event_count)
		return i;
	if (r->events_fixed)
		err_set(err, "event '%.*s' is not one of the first part's", (int)length, name);
	else if (r->event_count == MAX_EVENTS)
		err_set(err, "more than %d events", MAX_EVENTS);
	else {
		r->events[i].name = arena_strndup(&r->texts, name, length);
		if (r->events[i].name != NULL) {
			r->events[i].description = callgrind_describe(r->events[i].name);
			return r->event_count++;
		}
		out_of_memory(err);
	}
	return SIZE_MAX;
}

int on_events(struct reader *r, const char *value, struct err *err)
{
	size_t length, i;

	r->column_count = 0;
	r->has_summary = false;
	for (value = skip_blanks(value); *value != '\0'; value = skip_blanks(value + length)) {
		length = strcspn(value, BLANKS);
		if (r->column_count == STORE_MAX_COLUMNS)
			return err_set(err, "more than %d events", STORE_MAX_COLUMNS);
		i = add_event(r, value, length, err);
		if (i == SIZE_MAX)
			return -1;
		if (r->events[i].formula != NULL)
			return err_set(err, "event '%s' is measured, and a formula, too",
				       r->events[i].name);
		r->columns[r->column_count++] = i;
	}
	return r->column_count > 0 ? 0 : err_set(err, "the line 'events:' names none");
}

/* Handle "event: Sum = Ir + 10 Dr : A long name": the formula, the long name, or both. */
int on_event(struct reader *r, const char *value, struct err *err)
{
	size_t length = strcspn(value, BLANKS "=:"), i;
	const char *at = skip_blanks(value + length);
	const char *colon = strchr(at, ':');

	if (length == 0)
		return err_set(err, "an event without a name");
	if (r->events_fixed)
		return 0;
	i = add_event(r, value, length, err);
	if (i == SIZE_MAX)
		return -1;
	if (*at == '=') {
		at = skip_blanks(at + 1);
		r->events[i].formula = arena_strndup(
			&r->texts, at, colon != NULL ? (size_t)(colon - at) : strlen(at));
		if (r->events[i].formula == NULL)
			return out_of_memory(err);
	}
	if (colon != NULL && *skip_blanks(colon + 1) != '\0')
		r->events[i].description = arena_strdup(&r->texts, skip_blanks(colon + 1));
	return 0;
}

/*
 * The sums of the program. Callgrind writes them before the costs, and means others with several
 * parts. So they only tell, at the end of the file, whether it is whole.
 */
int on_summary(struct reader *r, const char *value, struct err *err)
{
	value = skip_blanks(value);
	(void)err;
	memset(r->summary, 0, sizeof(r->summary));
	for (size_t i = 0; i < r->column_count && *value != '\0'; i++) {
		value = read_count(value, &r->summary[i]);
		if (value == NULL)
			return 0;
		value = skip_blanks(value);
	}
	r->has_summary = true;
	return 0;
}

/* Check the sums of the lines since the last totals. */
int on_totals(struct reader *r, const char *value, struct err *err)
{
	uint64_t total;
	size_t i;

	value = skip_blanks(value);
	for (i = 0; i < r->column_count; i++) {
		const char *name = r->events[r->columns[i]].name;

		total = 0;
		if (*value != '\0') {
			value = read_count(value, &total);
			if (value == NULL)
				return err_set(err, "the totals are no numbers");
			value = skip_blanks(value);
		}
		if (r->sums[r->columns[i]] != total)
			return err_set(err,
				       "the totals say %" PRIu64 " %s, but the lines before it "
				       "have %" PRIu64 ": the file is damaged",
				       total, name, r->sums[r->columns[i]]);
	}
	memset(r->sums, 0, sizeof(r->sums));
	r->has_costs = false;
	return 0;
}

/* ---- The begin of a body ---- */

/* Put the measured events first, as in the store. */
static int fix_events(struct reader *r, struct err *err)
{
	struct store_event sorted[MAX_EVENTS];
	size_t place[MAX_EVENTS], count = 0, i;

	for (i = 0; i < r->event_count; i++) {
		bool is_measured = false;

		for (size_t k = 0; k < r->column_count; k++)
			is_measured |= r->columns[k] == i;
		if (is_measured) {
			place[i] = count;
			sorted[count++] = r->events[i];
		}
	}
	r->measured = count;
	for (i = 0; i < r->event_count; i++) {
		if (r->events[i].formula != NULL)
			sorted[count++] = r->events[i];
	}
	for (i = 0; i < r->column_count; i++)
		r->columns[i] = place[r->columns[i]];
	memcpy(r->events, sorted, count * sizeof(*sorted));
	r->event_count = count;
	r->events_fixed = true;
	return store_put_events(r->sink.store, r->events, count, err);
}

static int begin_process(struct reader *r, struct err *err)
{
	struct store_process *p;
	size_t i = 0;

	while (i < r->process_count && r->processes[i].pid != r->pid)
		i++;
	r->sink.process = (int64_t)i;
	r->has_process = true;
	if (i < r->process_count)
		return 0;
	if (!array_reserve_in((void **)&r->processes, &r->process_room, i + 1,
			      sizeof(*r->processes)))
		return out_of_memory(err);
	r->process_count++;
	p = &r->processes[i];
	*p = (struct store_process){
		.id = (int64_t)i,
		.parent_id = STORE_NONE,
		.pid = r->pid,
		.cause = "start",
		.command = r->command != NULL ? r->command : r->name,
		.state = "exited",
		.exit_status = STORE_NONE,
		.told_end = 1,
	};
	p->exe = arena_strndup(&r->texts, p->command, strcspn(p->command, BLANKS));
	if (p->exe == NULL)
		return out_of_memory(err);
	return store_put_process(r->sink.store, p, err);
}

int begin_body(struct reader *r, struct err *err)
{
	if (r->column_count == 0)
		return err_set(err, "costs come before a line 'events:' says of what");
	if (!r->events_fixed && fix_events(r, err) != 0)
		return -1;
	if (!r->has_process && begin_process(r, err) != 0)
		return -1;
	return r->sink.thread == r->thread ? 0 : sink_use_thread(&r->sink, r->thread, err);
}
