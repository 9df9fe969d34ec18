/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place of a new profile: the file that its user named. Several runs may want one place, and
 * something may lie there already. Nothing that others made is ever lost:
 *
 *     part       PATH.part<pid>, made with O_EXCL and locked: rows go there, nobody else looks
 *       |
 *     publish    what lies at PATH becomes PATH.old, and what lay there PATH.older<pid>;
 *       |        the part gets the name PATH, if that is free: of two runs one wins
 *     keep       PATH.older<pid> is removed; from now on the profile stays, whatever happens
 *
 * Until then new_file_undo puts everything back. Each step happens under the writer's lock
 * (writer_lock) of the file that is moved, and only if its name still stands for that file. A file
 * is removed only if it is the one that was made here.
 */
#ifndef DWELL_STORE_NEW_FILE_H
#define DWELL_STORE_NEW_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct new_file {
	char *asked; /* the name as the user gave it, for messages */
	char *path;  /* the same, with links at its end followed: links stay links */
	char *part;  /* name of the part; NULL once it has been published */
	int fd;	     /* the new file, with the writer's lock; -1: none */
	/*
	 * A nameless file of some pages in the same folder, or -1. When the disk is full, closing
	 * it leaves room to say so in the profile.
	 */
	int reserve;
	bool has_moved; /* what lay at PATH is PATH.old now */
	bool has_older; /* what lay at PATH.old is PATH.older<pid> now */
};

/*
 * Make the part, after checking that its place may be taken. Only the owner may read it, as
 * profiles show what programs do and may hold sources. Returns 0, or -1 with *err set; the place
 * is released then.
 */
int new_file_begin(struct new_file *p, const char *path, struct err *err);

/*
 * Give the part its name. Returns 0, or -1 with *err set and all files as before: another run may
 * have been faster. No database may be open in the part, as SQLite looks for files beside it by its
 * name.
 */
int new_file_publish(struct new_file *p, struct err *err);

/* The profile will stay: remove what it has replaced twice. */
void new_file_keep(struct new_file *p);

/* Remove the new file, published or not, and put back what it has replaced. */
void new_file_undo(struct new_file *p);

/* Tell whether the profile's name still stands for it; another program may have moved it. */
bool new_file_is_ours(const struct new_file *p);

/* Tell whether a name, through links, too, stands for the file of this place. */
bool new_file_is_at(const struct new_file *p, const char *name);

/* Set *err: another process writes the profile of this name. Returns -1. */
int new_file_refuse_writer(const char *name, int64_t pid, struct err *err);

/* The name under which the file is now; valid until it is published. */
const char *new_file_name(const struct new_file *p);

/* Free the disk's space that was kept for the end of a profile. */
void new_file_use_reserve(struct new_file *p);

/* Close the files. Removes nothing. */
void new_file_release(struct new_file *p);

#endif
