/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How functions of the hosted code report errors: a sentence in the user's words, returned up to
 * the command. Only commands print it.
 */
#ifndef DWELL_BASE_ERR_H
#define DWELL_BASE_ERR_H

#include <stdarg.h>

struct err {
	char text[512]; /* NUL-ended; cut with "..." if it is too long */
};

/* Set the sentence. Always returns -1, for `return err_set(...)`. err may be NULL. */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Put text in front of the sentence. Returns -1. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
