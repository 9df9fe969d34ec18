/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that are not run, and those whose result is ignored. */
#ifndef DIFFTEST_EXCLUDE_H
#define DIFFTEST_EXCLUDE_H

#include "difftest/forms.h"

/* Why this instruction is never run, or 0. */
const char *exclude_reason(const struct decoded *d);

/* 1 if two native runs of it from one state may differ: only that it ran is compared. */
int exclude_is_unstable(const struct decoded *d);

#endif
