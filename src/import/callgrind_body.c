/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bodies of the Callgrind format: positions, costs, calls, jumps. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/callgrind_private.h"

/* ---- Numbers on a line ---- */

const char *skip_blanks(const char *at)
{
	return at + strspn(at, BLANKS);
}

const char *read_count(const char *at, uint64_t *n)
{
	char *end;

	if (*at < '0' || *at > '9')
		return NULL;
	errno = 0;
	*n = strtoull(at, &end, at[0] == '0' && (at[1] == 'x' || at[1] == 'X') ? 16 : 10);
	return errno != 0 ? NULL : end;
}

/*
 * Read a number, which may be relative to `last`: "+5", "-5", "*". Returns the text after it, or
 * NULL.
 */
static const char *read_relative(const char *at, uint64_t last, uint64_t *n)
{
	uint64_t step;
	char sign = *at;

	if (sign == '*') {
		*n = last;
		return at + 1;
	}
	if (sign != '+' && sign != '-')
		return read_count(at, n);
	at = read_count(at + 1, &step);
	if (at == NULL)
		return NULL;
	*n = sign == '+' ? last + step : last - step;
	return at;
}

/* Read all positions of a line, and the blanks after them. Returns the text after them, or NULL. */
static const char *read_position(const struct reader *r, const char *at, struct position *p)
{
	uint64_t block;

	*p = (struct position){0};
	if (r->has_address) {
		at = read_relative(at, r->at.address, &p->address);
		at = at != NULL ? skip_blanks(at) : NULL;
	}
	if (r->has_block && at != NULL) {
		at = read_relative(at, 0, &block);
		at = at != NULL ? skip_blanks(at) : NULL;
	}
	if (r->has_line && at != NULL) {
		at = read_relative(at, r->at.line, &p->line);
		at = at != NULL ? skip_blanks(at) : NULL;
	}
	return at;
}

/* ---- Names ---- */

int on_object(struct reader *r, const char *value, struct err *err)
{
	return names_read(&r->names, &r->sink, NAME_OBJECT, value, &r->object, err);
}

int on_file(struct reader *r, const char *value, struct err *err)
{
	return names_read(&r->names, &r->sink, NAME_FILE, value, &r->file, err);
}

int on_function(struct reader *r, const char *value, struct err *err)
{
	struct sink_function f = {.file = r->file, .object = r->object, .caller = STORE_NONE};
	bool is_recursive;

	if (begin_body(r, err) != 0 ||
	    names_read(&r->names, &r->sink, NAME_FUNCTION, value, &f.name, err) != 0)
		return -1;
	return names_node(&r->names, &r->sink, &f, &r->node, &r->function, &is_recursive, err);
}

int on_called_object(struct reader *r, const char *value, struct err *err)
{
	return names_read(&r->names, &r->sink, NAME_OBJECT, value, &r->called_object, err);
}

int on_called_file(struct reader *r, const char *value, struct err *err)
{
	return names_read(&r->names, &r->sink, NAME_FILE, value, &r->called_file, err);
}

int on_called_function(struct reader *r, const char *value, struct err *err)
{
	struct sink_function f = {
		.file = r->called_file == NOT_SAID ? r->file : r->called_file,
		.object = r->called_object == NOT_SAID ? r->object : r->called_object,
		.caller = STORE_NONE,
	};
	size_t name;

	r->called_file = r->called_object = NOT_SAID;
	if (begin_body(r, err) != 0 ||
	    names_read(&r->names, &r->sink, NAME_FUNCTION, value, &f.name, err) != 0)
		return -1;
	return names_node(&r->names, &r->sink, &f, &r->called, &name, &r->called_is_recursive, err);
}

int on_jump_file(struct reader *r, const char *value, struct err *err)
{
	return names_read(&r->names, &r->sink, NAME_FILE, value, &r->jump_file, err);
}

int on_jump_function(struct reader *r, const char *value, struct err *err)
{
	return names_read(&r->names, &r->sink, NAME_FUNCTION, value, &r->jump_function, err);
}

/* ---- Calls and jumps: the next line has their position ---- */

int on_calls(struct reader *r, const char *value, struct err *err)
{
	const char *at = read_count(value, &r->count);

	if (at == NULL || read_position(r, skip_blanks(at), &r->target) == NULL)
		return err_set(err, "'calls=%s': not a number of calls and a position", value);
	if (r->called == STORE_NONE)
		return err_set(err, "calls of a function that no line 'cfn=' names");
	r->pending = PENDING_CALL;
	return 0;
}

int on_jump(struct reader *r, const char *value, struct err *err)
{
	const char *at = read_count(value, &r->count);

	if (at == NULL || read_position(r, skip_blanks(at), &r->target) == NULL)
		return err_set(err, "'jump=%s': not a number of jumps and a position", value);
	r->executed = r->count;
	r->pending = PENDING_JUMP;
	return 0;
}

/* Handle "jcnd=taken/executed target". */
int on_conditional_jump(struct reader *r, const char *value, struct err *err)
{
	const char *at = read_count(value, &r->count);

	if (at != NULL)
		at = read_count(at + strspn(at, BLANKS "/"), &r->executed);
	if (at == NULL || read_position(r, skip_blanks(at), &r->target) == NULL)
		return err_set(err,
			       "'jcnd=%s': not how often it was taken and executed, and a position",
			       value);
	r->pending = PENDING_CONDITIONAL_JUMP;
	return 0;
}

/* ---- Costs ---- */

static int read_values(struct reader *r, const char *at, uint64_t *values, struct err *err)
{
	size_t i;

	memset(values, 0, STORE_MAX_COLUMNS * sizeof(*values));
	for (i = 0; *at != '\0'; i++) {
		uint64_t n;

		if (i == r->column_count)
			return err_set(err, "more than %zu costs, one for each event",
				       r->column_count);
		at = read_count(at, &n);
		if (at == NULL || (*at != '\0' && strchr(BLANKS, *at) == NULL))
			return err_set(err, "what should be a cost is no number of 64 bits");
		values[r->columns[i]] = n;
		at = skip_blanks(at);
	}
	return 0;
}

static int locate(struct reader *r, const struct position *p, size_t name, size_t file, int64_t *id,
		  struct err *err)
{
	struct sink_place place = {
		.name = name,
		.file = file,
		.object = r->object,
		.line = p->line,
		.address = p->address,
	};

	if (p->line > UINT32_MAX)
		return err_set(err, "line %" PRIu64 " of a source file cannot be", p->line);
	return sink_location(&r->sink, &place, id, err);
}

static int put_call(struct reader *r, int64_t location, const uint64_t *values, struct err *err)
{
	static const uint64_t nothing[STORE_MAX_COLUMNS];
	struct store_arc a = {
		.caller_id = r->node,
		.location_id = location,
		.callee_id = r->called,
		.kind = r->called_is_recursive ? STORE_ARC_RECURSIVE : STORE_ARC_CALL,
		.calls = r->count,
		.values = r->called_is_recursive ? nothing : values,
	};

	return store_put_arc(r->sink.store, &a, err);
}

static int put_jump(struct reader *r, int64_t location, struct err *err)
{
	struct store_jump j = {
		.node_id = r->node,
		.from_id = location,
		.conditional = r->pending == PENDING_CONDITIONAL_JUMP,
		.executed = r->executed,
		.taken = r->count,
	};
	size_t name = r->jump_function == NOT_SAID ? r->function : r->jump_function;
	size_t file = r->jump_file == NOT_SAID ? r->file : r->jump_file;

	r->jump_function = r->jump_file = NOT_SAID;
	if (locate(r, &r->target, name, file, &j.to_id, err) != 0)
		return -1;
	return store_put_jump(r->sink.store, &j, err);
}

static int put_cost(struct reader *r, int64_t location, const uint64_t *values, struct err *err)
{
	struct store_process *p = &r->processes[r->sink.process];
	struct store_cost c = {r->node, location, values};
	size_t i;

	for (i = 0; i < r->measured; i++) {
		r->sums[i] += values[i];
		if (strcmp(r->events[i].name, "Ir") == 0)
			p->instructions += values[i];
		else if (strcmp(r->events[i].name, "Dr") == 0)
			p->loads += values[i];
		else if (strcmp(r->events[i].name, "Dw") == 0)
			p->stores += values[i];
	}
	r->has_costs = true;
	return store_put_cost(r->sink.store, &c, err);
}

int on_position_line(struct reader *r, struct err *err)
{
	uint64_t values[STORE_MAX_COLUMNS];
	struct position p;
	enum pending pending = r->pending;
	const char *at;
	int64_t location;
	int status;

	if (begin_body(r, err) != 0)
		return -1;
	if (r->node == STORE_NONE)
		return err_set(err, "costs come before a line 'fn=' says of which function");
	at = read_position(r, r->line, &p);
	if (at == NULL)
		return err_set(err, "'%s' has no position at its begin", r->line);
	if (read_values(r, at, values, err) != 0 ||
	    locate(r, &p, r->function, r->file, &location, err) != 0)
		return -1;
	if (pending == PENDING_NONE)
		status = put_cost(r, location, values, err);
	else if (pending == PENDING_CALL)
		status = put_call(r, location, values, err);
	else
		status = put_jump(r, location, err);
	r->at = p;
	r->pending = PENDING_NONE;
	return status;
}
