/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of src/store share: the connection, and how its failures are reported. */
#ifndef DWELL_STORE_PRIVATE_H
#define DWELL_STORE_PRIVATE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "store/store.h"

#define STORE_APPLICATION_ID 0x44574c31u /* "DWL1" */
#define STORE_SCHEMA_VERSION 16u

/* The statements of the writer, prepared at their first use; SQL in row.c. */
enum store_statement {
	PUT_META,
	PUT_PROCESS,
	PUT_THREAD,
	PUT_MODULE,
	PUT_WINDOW,
	PUT_SAMPLES,
	PUT_FOLLOWS,
	PUT_ARRIVALS,
	PUT_STACK_DISTANCES,
	PUT_NESTED,
	PUT_LOCATIONS,
	PUT_NAMES,
	PUT_PLACE,
	PUT_PATHS,
	PUT_SITE,
	PUT_VARIABLE,
	PUT_MESSAGE,
	PUT_SOURCE,
	PUT_CURVE,
	PUT_DATA_COST,
	PUT_EVENT,
	PUT_GEOMETRY,
	PUT_OBJECT,
	PUT_NODES,
	PUT_COSTS,
	PUT_ARCS,
	PUT_JUMPS,
	STATEMENT_COUNT,
};

/* Items with consecutive ids that become the next row: see numbers.h. */
struct store_batch {
	struct text list;
	int64_t first_id;
	int64_t count;
};

/* A function, or a line of one, already written; the strings are interned. */
struct store_place {
	struct store_frame frame;
	size_t next; /* another one with this hash, or SIZE_MAX */
};

struct store {
	sqlite3 *db;
	char *path;
	int fd; /* of the file, open longer than db: a close drops SQLite's locks; or -1 */
	bool write_failed; /* ever */
	bool has_moved;	   /* the previous file, to PATH.old */
	sqlite3_stmt *statements[STATEMENT_COUNT];

	/* Not written yet. */
	struct store_batch samples; /* of one window of one process */
	int64_t samples_process;
	uint32_t samples_window;
	uint64_t samples_by_status[3];
	struct store_batch follows; /* of one process */
	int64_t follows_process;
	struct store_batch arrivals; /* of one process */
	int64_t arrivals_process;
	struct store_batch stack_distances; /* of one process */
	int64_t stack_distances_process;
	struct store_batch nested; /* of one process */
	int64_t nested_process;
	struct store_batch locations;
	struct store_batch names; /* of locations */
	struct store_batch paths;

	/* The event profile: number of events, of measured events (columns), and batches. */
	int64_t events;
	size_t columns;
	struct store_batch nodes;
	struct store_batch costs;
	struct store_batch arcs;
	struct store_batch jumps;
	struct map object_by_name; /* interned path -> id in the file */

	/* An item's index + 1 is its id in the file. */
	struct {
		struct store_place *items;
		size_t count, room;
	} places;
	struct map place_by_hash;

	bool in_transaction;
	bool failed; /* a write failed: `failure` says how */
	struct err failure;
	struct arena strings; /* those returned to readers */
	struct map interned;  /* hash of a string -> its address */
};

/* What a file is, from its first bytes alone. */
enum store_file_kind {
	FILE_MISSING,
	FILE_DIRECTORY,
	FILE_SPECIAL, /* a device, a pipe, ... */
	FILE_EMPTY,
	FILE_OTHER,
	FILE_SQLITE, /* a database of another application */
	FILE_PROFILE,
	FILE_UNREADABLE, /* errno says why */
};

struct store_file_info {
	uint64_t bytes;
	uint64_t header_bytes; /* pages that the header counts x page size */
	uint32_t version;      /* of the schema */
};

enum store_file_kind store_file_look(const char *path, struct store_file_info *info);

/*
 * Turn off SQLite's locks and statistics, which cost an eighth of each write; no two of our threads
 * use it. Call it before any connection is opened.
 */
void store_configure(void);

/* A new store around an open connection; takes ownership of db, also on failure. */
struct store *store_wrap(sqlite3 *db, const char *path, struct err *err);

/* Mark the file as being written by us, see store_writer, until fd is closed. */
void writer_lock(int fd);

extern const char store_schema[];

/* Keep SQLite from running anything that the file's schema contains; call it before any read. */
void schema_protect(sqlite3 *db);
/* Are the tables exactly those of store_schema, without indexes or triggers? */
bool schema_is_ours(sqlite3 *db);

/* As store_open_readonly, but without the slow check of all pages: for a look at one table. */
int store_open_unchecked(const char *path, struct store **s, struct err *err);

/* Why a write failed just now, in the user's words. */
const char *store_write_failure(sqlite3 *db);
/* Set *err for the connection's last error: "cannot write profile 'x': ..."; returns -1. */
int store_fail(struct store *s, const char *doing, struct err *err);

/* Execute SQL that gives no rows. */
int store_exec(struct store *s, const char *sql, const char *doing, struct err *err);

/* The store's one copy of the string, valid until the store closes; NULL stays NULL. */
const char *store_intern(struct store *s, const char *text);

#endif
