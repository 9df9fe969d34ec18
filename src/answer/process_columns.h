/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of processes: of a struct store_process, and of rows that begin with one. */
#ifndef DWELL_ANSWER_PROCESS_COLUMNS_H
#define DWELL_ANSWER_PROCESS_COLUMNS_H

#include "answer/columns.h"
#include "store/store_read.h"

enum process_column {
	PROCESS_ID,
	PROCESS_PID,
	PROCESS_PARENT,
	PROCESS_CAUSE,
	PROCESS_STATE,
	PROCESS_SHOWN_STATE, /* in texts, with the name of the signal */
	PROCESS_EXIT_STATUS,
	PROCESS_SIGNAL,
	PROCESS_SIGNAL_NAME,
	PROCESS_START,
	PROCESS_END,
	PROCESS_ACCESSES,
	PROCESS_SAMPLES,
	PROCESS_WINDOWS,
	PROCESS_EXE,
	PROCESS_COMMAND,
	PROCESS_COMMAND_OR_EXE,
	PROCESS_COLUMNS
};

extern const struct column process_columns[PROCESS_COLUMNS];

#define PROCESS(column) (&process_columns[PROCESS_##column])

/* How it ended; JSON and CSV have all three. */
#define PROCESS_ENDING PROCESS(EXIT_STATUS), PROCESS(SIGNAL), PROCESS(SIGNAL_NAME)

#endif
