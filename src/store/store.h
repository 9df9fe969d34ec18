/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing a profile: the only code that writes the file.
 *
 * Rows go into a transaction that store_commit ends; committed rows survive the death of this
 * process. There is no fsync during the run: a power cut may cost the profile, a crash of any
 * program does not.
 *
 * All functions return 0, or -1 with *err set. After a write has failed (a full disk) every further
 * one fails at once with the same sentence.
 */
#ifndef DWELL_STORE_STORE_H
#define DWELL_STORE_STORE_H

#include "base/err.h"
#include "store/store_read.h"

#define STORE_MAX_FRAMES 64

struct new_file;

/*
 * Begin the profile `path`, with an empty schema. Nothing is at `path` yet: the file gets its name
 * from store_publish, or from store_finish. An existing profile is renamed to PATH.old then,
 * replacing an older one. Any other file that is not empty is kept, and is an error. So is a
 * profile that another process writes. store_close removes a profile that has no name yet.
 */
int store_create(const char *path, struct store **s, struct err *err);

/* Give the profile its name, so that it can be read while it grows. */
int store_publish(struct store *s, struct err *err);
/* The run has begun: its profile stays from now on, and so do the ones it has replaced. */
void store_keep(struct store *s);

int store_put_meta_text(struct store *s, const char *key, const char *text, struct err *err);
int store_put_meta_int(struct store *s, const char *key, int64_t value, struct err *err);

/* Insert, or replace the row with the same key. Fields counted from other tables are ignored. */
int store_put_process(struct store *s, const struct store_process *p, struct err *err);
int store_put_thread(struct store *s, const struct store_thread *t, struct err *err);
int store_put_module(struct store *s, const struct store_module *m, struct err *err);
int store_put_window(struct store *s, const struct store_window *w, struct err *err);
int store_put_sample(struct store *s, const struct store_sample *x, struct err *err);
int store_put_far(struct store *s, const struct store_far *f, struct err *err);
int store_put_stack_distance(struct store *s, const struct store_stack_distance *d,
			     struct err *err);
int store_put_path(struct store *s, const struct store_path *p, struct err *err);
int store_put_site(struct store *s, const struct store_site *x, struct err *err);
int store_put_variable(struct store *s, const struct store_variable *v, struct err *err);
int store_put_nested(struct store *s, const struct store_nested *n, struct err *err);
int store_put_message(struct store *s, const struct store_message *m, struct err *err);
int store_put_source(struct store *s, const char *path, const char *text, struct err *err);

/*
 * The location without its frames. They are put when it is resolved, innermost first; more than
 * STORE_MAX_FRAMES are cut. Consecutive ids are cheapest.
 */
int store_put_location(struct store *s, const struct store_location *l, struct err *err);
int store_put_frames(struct store *s, int64_t location, const struct store_frame *frames,
		     size_t count, struct err *err);

/* Make all rows so far visible to readers, and safe from the death of this process. */
int store_commit(struct store *s, struct err *err);

/*
 * The last commit: leaves a single file that can be read even in a read-only directory. The caller
 * still closes the store.
 */
int store_finish(struct store *s, struct err *err);
/*
 * After a failure, once store_keep was called: say in the profile that it was cut off, and why. The
 * rows of earlier commits stay. The caller still closes the store.
 */
void store_cut_off(struct store *s);
/* Before store_keep, instead of store_close: remove the new file, and put the previous one back. */
void store_abandon(struct store *s);
/* Tell whether the name of the profile still stands for this file, which others may have moved. */
bool store_is_in_place(const struct store *s);
/* Tell whether a finished profile still needs the file PATH-wal, for which the disk had no room. */
bool store_needs_log(const struct store *s);
/* If there was a failure, tells whether it was a write of the file. */
bool store_write_failed(const struct store *s);

/*
 * A copy of the profile of a run in progress. store_copy begins the profile `path`, by the rules of
 * store_create, with all committed rows. A forked child then continues in *copy: store_continue_in
 * makes the child's *s a store of that file, and store_finish gives it its name. The parent waits
 * for the child, and ends the copy: an incomplete one is removed.
 */
int store_copy(struct store *s, const char *path, struct new_file **copy, struct err *err);
int store_continue_in(struct store *s, struct new_file *copy, struct err *err);
void store_copy_end(struct new_file *copy, bool is_complete);

#endif
