/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as a table for the terminal, by their columns. */
#ifndef DWELL_VIEWS_COLUMNS_TABLE_H
#define DWELL_VIEWS_COLUMNS_TABLE_H

#include "answer/columns.h"
#include "views/table.h"

/* Make a table with these columns; add a row. */
struct table *columns_table(const struct column_list *l, const struct display *d);
void columns_table_row(const struct column_list *l, struct table *t, const void *row);

#endif
