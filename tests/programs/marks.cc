/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The marks in C++; see marks.h. */
#include "marks.h"
