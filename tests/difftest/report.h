/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lists of forms that were not compared. */
#ifndef DIFFTEST_REPORT_H
#define DIFFTEST_REPORT_H

#include <stdio.h>

#include "difftest/campaign.h"

/*
 * Print, on lines that begin with "#", each mnemonic that is excluded, that
 * this CPU does not have, that died, or that no encoding leads to. Mnemonics,
 * not forms: a line also says how many forms it stands for.
 */
void report_not_covered(FILE *to, const struct campaign *c);

/* Print the key of every form that would be run, and how many encodings it has. */
void report_forms(FILE *to, const struct campaign *c);

#endif
