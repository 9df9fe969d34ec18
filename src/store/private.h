/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of src/store: the connection, and error reports. */
#ifndef DWELL_STORE_PRIVATE_H
#define DWELL_STORE_PRIVATE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "store/store.h"

#define STORE_APPLICATION_ID 0x44574c31u /* "DWL1" */
#define STORE_SCHEMA_VERSION 31u

/* The writer's statements, prepared at first use; the SQL is in row.c. */
enum store_statement {
	PUT_META,
	PUT_PROCESS,
	PUT_THREAD,
	PUT_MODULE,
	PUT_WINDOW,
	PUT_ACCESSES,
	PUT_SAMPLES,
	PUT_FAR,
	PUT_STACK_DISTANCES,
	PUT_NESTED,
	PUT_LOCATIONS,
	PUT_NAMES,
	PUT_PLACE,
	PUT_PATHS,
	PUT_SITE,
	PUT_VARIABLE,
	PUT_MESSAGE,
	PUT_STRUCTURE,
	PUT_BIN,
	PUT_BIN_RANGE,
	PUT_OPERAND,
	PUT_WRAPPER,
	PUT_LAYOUT,
	PUT_MEMBER,
	PUT_EVICTION,
	PUT_STRETCH,
	PUT_CONTRASTS,
	PUT_REFERENCES,
	PUT_PATTERN,
	PUT_PATTERN_STEP,
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

/* Items with consecutive ids, collected for the next row: see numbers.h. */
struct store_batch {
	struct text list;
	int64_t first_id;
	int64_t count;
};

#define STORE_FAR_WEIGHTS   256 /* different ones in a row */
#define STORE_WEIGHT_PLACES 1024

/* What the items of a row about accesses are relative to: these numbers of the first. */
struct store_origin {
	int64_t process; /* common to all */
	uint32_t window;
	uint64_t position;
};

/* See far_batch in schema.sql. */
struct store_far_batch {
	struct store_batch items;
	struct store_origin origin;
	double weights[STORE_FAR_WEIGHTS];
	size_t weight_count;
	/* while writing: a number from 1, at the place of the hash of its weight or behind */
	uint16_t places[STORE_WEIGHT_PLACES];
};

/* Accesses that differ in their addresses only; see access_batch in schema.sql. */
struct store_access_kind {
	int64_t location, site, path, image;
	uint64_t address; /* of the first */
	uint32_t size;
	uint16_t kind, thread;
	size_t next; /* while writing: next one with this hash, or SIZE_MAX */
};

/* The id of item i is forgotten + i + 1. */
struct store_access_kinds {
	struct store_access_kind *items;
	size_t count, room, forgotten;
	struct map by_hash; /* while writing */
	bool are_read;
};

/* A written function, or line of one; strings are interned. */
struct store_place {
	struct store_frame frame;
	size_t next; /* next one with this hash, or SIZE_MAX */
};

struct store {
	sqlite3 *db;
	char *path;
	/* Of a reader: the file, or -1; closed after db, because a close drops SQLite's locks. */
	int fd;
	struct new_file *new_file; /* of a writer: where its file lies; owned */
	bool write_failed;	   /* some write has failed */
	bool needs_log;		   /* the log could not be written back */
	sqlite3_stmt *statements[STATEMENT_COUNT];

	/* Items that are not written yet. */
	struct store_batch accesses;
	struct store_access_kinds access_kinds;
	struct store_origin samples_origin;
	struct store_batch samples;
	uint64_t samples_by_status[3];
	struct store_far_batch far;
	struct store_batch stack_distances; /* of one process */
	int64_t stack_distances_process;
	struct store_origin nested_origin;
	struct store_batch nested;
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

	/* The id of item i in the file is i + 1. */
	struct {
		struct store_place *items;
		size_t count, room;
	} places;
	struct map place_by_hash;

	bool in_transaction;
	bool failed; /* a write failed: see `failure` */
	struct err failure;
	char why[128];	      /* the reason of the first failed write, or "" */
	struct arena strings; /* strings returned to readers */
	struct map interned;  /* hash -> address of the string */
};

/* The kind of a file, by its first bytes. */
enum store_file_kind {
	FILE_MISSING,
	FILE_DIRECTORY,
	FILE_SPECIAL, /* a device, a pipe, ... */
	FILE_EMPTY,
	FILE_OTHER,
	FILE_SQLITE, /* a database of another application */
	FILE_PROFILE,
	FILE_UNREADABLE, /* see errno */
};

struct store_file_info {
	uint64_t bytes;
	uint64_t header_bytes; /* number of pages in the header x page size */
	uint32_t version;      /* of the schema */
};

enum store_file_kind store_file_look(const char *path, struct store_file_info *info);

/*
 * Turn off SQLite's mutexes and statistics, which cost an eighth of each write: no connection is
 * used by two threads at once. Call it before any connection is opened.
 */
void store_configure(void);

/* Make a store for an open connection; takes ownership of db, even on failure. */
struct store *store_wrap(sqlite3 *db, const char *path, struct err *err);

/*
 * Mark the file as written by this process, see store_writer, until fd is closed or unlocked.
 * Returns false if another process has it.
 */
bool writer_lock(int fd);
void writer_unlock(int fd);

extern const char store_schema[];

/* Close a new file, and free it; NULL is allowed. */
void store_free_new_file(struct new_file *p);

/* Forbid SQLite to run code from the file's schema; call it before any read. */
void schema_protect(sqlite3 *db);
/* Tell whether the tables are exactly those of store_schema, without indexes or triggers. */
bool schema_is_ours(sqlite3 *db);

/* Like store_open_readonly, but without the slow check of all pages. */
int store_open_unchecked(const char *path, struct store **s, struct err *err);

/* The reason why the last write failed, in the user's words. */
const char *store_write_failure(sqlite3 *db);
/* Set *err to the connection's last error: "cannot write profile 'x': ...". Returns -1. */
int store_fail(struct store *s, const char *doing, struct err *err);

/* Execute SQL that returns no rows. */
int store_exec(struct store *s, const char *sql, const char *doing, struct err *err);

/* The store's single copy of the string, valid until the store closes; NULL for NULL. */
const char *store_intern(struct store *s, const char *text);

#endif
