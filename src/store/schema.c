/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schema, and a check for it. A foreign file may have an endless view in place of a table,
 * computed columns, or indexes over expressions: SQLite would evaluate them.
 */
#include <string.h>

#include "store/private.h"

/* ISO C guarantees 4095 bytes for a literal; the supported compilers allow more. */
#pragma GCC diagnostic ignored "-Woverlength-strings"
const char store_schema[] =
#include "store/schema_sql.inc"
	;

/* of a value or a row; only source files may be large */
#define MOST_BYTES (256 << 20)

void schema_protect(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL); /* views are only for users */
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MOST_BYTES);
}

/* Tables and their parts that were created by SQL, in a fixed order. */
static const char objects[] =
	"SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type <> 'view'"
	" AND sql IS NOT NULL AND tbl_name <> 'sqlite_stat1' ORDER BY name, type";

static bool is_equal(sqlite3_stmt *a, sqlite3_stmt *b, int column)
{
	const unsigned char *x = sqlite3_column_text(a, column),
			    *y = sqlite3_column_text(b, column);

	return x != NULL && y != NULL && strcmp((const char *)x, (const char *)y) == 0;
}

static bool has_same_objects(sqlite3_stmt *ours, sqlite3_stmt *theirs)
{
	int ours_code, theirs_code;

	do {
		ours_code = sqlite3_step(ours);
		theirs_code = sqlite3_step(theirs);
		for (int i = 0; i < 4 && ours_code == SQLITE_ROW && theirs_code == SQLITE_ROW; i++)
			if (!is_equal(ours, theirs, i))
				return false;
	} while (ours_code == SQLITE_ROW && theirs_code == SQLITE_ROW);
	return ours_code == SQLITE_DONE && theirs_code == SQLITE_DONE;
}

bool schema_is_ours(sqlite3 *db)
{
	sqlite3_stmt *ours = NULL, *theirs = NULL;
	sqlite3 *model = NULL;
	bool is_same;

	is_same = sqlite3_open(":memory:", &model) == SQLITE_OK &&
		  sqlite3_exec(model, store_schema, NULL, NULL, NULL) == SQLITE_OK &&
		  sqlite3_prepare_v2(model, objects, -1, &ours, NULL) == SQLITE_OK &&
		  sqlite3_prepare_v2(db, objects, -1, &theirs, NULL) == SQLITE_OK &&
		  has_same_objects(ours, theirs);
	sqlite3_finalize(ours);
	sqlite3_finalize(theirs);
	sqlite3_close(model);
	return is_same;
}
