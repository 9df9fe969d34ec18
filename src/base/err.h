/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one way a function of the hosted code says what went wrong: a sentence in
 * the user's words, carried up to the command, which alone prints it.
 */
#ifndef DWELL_BASE_ERR_H
#define DWELL_BASE_ERR_H

#include <stdarg.h>

struct err {
	char text[512]; /* NUL-ended; cut with "..." when it does not fit */
};

/*
 * Write the sentence. Returns -1 always, so that callers say `return err_set(...)`. err may be
 * NULL.
 */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_setv(struct err *err, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

/* Put text in front of the sentence that is already there. Returns -1. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
