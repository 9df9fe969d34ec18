/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing a profile: the collector's side of the file, and the only writer.
 *
 * Rows go into a transaction that store_commit ends; what was committed
 * survives the death of this process. No fsync is done while the run goes on:
 * a power cut may cost the profile, a crash of any program does not.
 *
 * All functions return 0, or -1 with *err set. After a write has failed (a full
 * disk) every further one fails at once with the same sentence.
 */
#ifndef DWELL_STORE_STORE_H
#define DWELL_STORE_STORE_H

#include "base/err.h"
#include "store/store_read.h"

#define STORE_MAX_FRAMES 64

/*
 * Create the profile `path` with an empty schema. A profile that is there
 * already becomes PATH.old, in place of an older one; any other file that is
 * there and not empty is left alone, and that is an error.
 */
int store_create(const char *path, struct store **s, struct err *err);

int store_put_meta_text(struct store *s, const char *key, const char *text, struct err *err);
int store_put_meta_int(struct store *s, const char *key, int64_t value, struct err *err);

/*
 * These insert, or replace the row with the same key. Fields counted from other tables are ignored.
 */
int store_put_process(struct store *s, const struct store_process *p, struct err *err);
int store_put_thread(struct store *s, const struct store_thread *t, struct err *err);
int store_put_module(struct store *s, const struct store_module *m, struct err *err);
int store_put_window(struct store *s, const struct store_window *w, struct err *err);
int store_put_sample(struct store *s, const struct store_sample *x, struct err *err);
int store_put_follow(struct store *s, const struct store_follow *f, struct err *err);
int store_put_arrival(struct store *s, const struct store_arrival *a, struct err *err);
int store_put_stack_distance(struct store *s, const struct store_stack_distance *d,
			     struct err *err);
int store_put_path(struct store *s, const struct store_path *p, struct err *err);
int store_put_site(struct store *s, const struct store_site *x, struct err *err);
int store_put_variable(struct store *s, const struct store_variable *v, struct err *err);
int store_put_nested(struct store *s, const struct store_nested *n, struct err *err);
int store_put_message(struct store *s, const struct store_message *m, struct err *err);
int store_put_source(struct store *s, const char *path, const char *text, struct err *err);

/*
 * The location without its frames; these come later, when it is resolved, innermost first and cut
 * at STORE_MAX_FRAMES. Cheapest when ids are consecutive.
 */
int store_put_location(struct store *s, const struct store_location *l, struct err *err);
int store_put_frames(struct store *s, int64_t location, const struct store_frame *frames,
		     size_t count, struct err *err);

/* Make what was put so far visible to readers, and safe from our own death. */
int store_commit(struct store *s, struct err *err);

/*
 * The last commit: leaves one plain file that needs no other beside it and can
 * be read from a read-only place. The store is still to be closed.
 */
int store_finish(struct store *s, struct err *err);
/*
 * In place of store_close: the file that was made is taken away, and the one that was there before
 * is again.
 */
void store_abandon(struct store *s);
/* Is it the file that could not be written, if anything failed? */
bool store_write_failed(const struct store *s);

/*
 * For a look at a run that goes on. store_copy makes the file `path`, on the terms of store_create,
 * with all that was committed. A child process then goes on writing there and not where its parent
 * writes: store_continue_in makes *s, a copy from the fork on, a store of that file.
 */
int store_copy(struct store *s, const char *path, struct err *err);
int store_continue_in(struct store *s, const char *path, struct err *err);
/* Remove a copy that could not be completed, and what SQLite keeps beside it. */
void store_remove(const char *path);

#endif
