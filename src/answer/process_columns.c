/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of processes; see process_columns.h. */
#include "answer/process_columns.h"

#include "answer/figures.h"
#include "base/signal_name.h"

/* A number that may be none. */
static void put_number(int64_t number, struct value *v)
{
	v->whole = (uint64_t)number;
	v->is_missing = number == STORE_NONE;
}

static void get_parent(const void *row, struct value *v)
{
	put_number(((const struct store_process *)row)->parent_id, v);
}

static void get_shown_state(const void *row, struct value *v)
{
	char state[FIGURE_BYTES];

	text_add(v->made, figure_state(row, state));
	v->text = text_get(v->made);
}

static void get_exit_status(const void *row, struct value *v)
{
	put_number(((const struct store_process *)row)->exit_status, v);
}

static void get_signal(const void *row, struct value *v)
{
	const struct store_process *x = row;

	v->whole = (uint64_t)x->signal;
	v->is_missing = x->signal <= 0;
}

static void get_signal_name(const void *row, struct value *v)
{
	const struct store_process *x = row;
	char name[SIGNAL_NAME_BYTES];

	v->is_missing = x->signal <= 0;
	if (!v->is_missing)
		text_add(v->made, signal_name(x->signal, name));
	v->text = text_get(v->made);
}

static void get_command_or_exe(const void *row, struct value *v)
{
	const struct store_process *x = row;

	v->text = x->command[0] != '\0' ? x->command : x->exe;
}

#define MEMBER(member) COLUMN_MEMBER(struct store_process, member)

const struct column process_columns[PROCESS_COLUMNS] = {
	[PROCESS_ID] = {"ID", "id", UNIT_NUMBER, MEMBER(id)},
	[PROCESS_PID] = {"PID", "pid", UNIT_NUMBER, MEMBER(pid)},
	[PROCESS_PARENT] = {"PARENT", "parent", UNIT_NUMBER, get_parent},
	[PROCESS_CAUSE] = {NULL, "cause", UNIT_TEXT, MEMBER(cause)},
	[PROCESS_STATE] = {NULL, "state", UNIT_TEXT, MEMBER(state)},
	[PROCESS_SHOWN_STATE] = {"STATE", NULL, UNIT_TEXT, get_shown_state},
	[PROCESS_EXIT_STATUS] = {NULL, "exit_status", UNIT_NUMBER, get_exit_status},
	[PROCESS_SIGNAL] = {NULL, "signal", UNIT_NUMBER, get_signal},
	[PROCESS_SIGNAL_NAME] = {NULL, "signal_name", UNIT_TEXT, get_signal_name},
	[PROCESS_START] = {NULL, "start_ns", UNIT_NUMBER, MEMBER(start_ns)},
	[PROCESS_END] = {NULL, "end_ns", UNIT_NUMBER, MEMBER(end_ns), .zero_is_missing = true},
	[PROCESS_ACCESSES] = {"ACCESSES", "accesses", UNIT_COUNT, MEMBER(accesses)},
	[PROCESS_SAMPLES] = {"SAMPLES", "samples", UNIT_COUNT, MEMBER(samples)},
	[PROCESS_WINDOWS] = {NULL, "windows", UNIT_COUNT, MEMBER(windows)},
	[PROCESS_EXE] = {NULL, "exe", UNIT_TEXT, MEMBER(exe)},
	[PROCESS_COMMAND] = {"COMMAND", "command", UNIT_TEXT, MEMBER(command),
			     .may_cut = COLUMN_WORDS},
	[PROCESS_COMMAND_OR_EXE] = {"COMMAND", NULL, UNIT_TEXT, get_command_or_exe,
				    .may_cut = COLUMN_WORDS},
};
