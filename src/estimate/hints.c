/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See hints.h. */
#include "estimate/hints.h"

#include <string.h>

#define MUCH	   0.2 /* of the cost, or of the misses where there is none */
#define MOST_FILES 3

/* ---- Functions without names ---- */

/* A file whose functions are known by address only, "[sort+0x9a00]". */
struct nameless {
	const char *name;
	size_t length;
	double part;
};

static double part_of(const struct hot_cost *cost, const struct hot_cost *whole)
{
	if (whole->cycles > 0)
		return cost->cycles / whole->cycles;
	return hot_share(cost->misses + cost->cold, whole);
}

/* The length of the file's name in such a function's name; 0: it has a name of its own. */
static size_t file_in(const char *function)
{
	const char *plus = function[0] == '[' ? strstr(function, "+0x") : NULL;

	return plus != NULL ? (size_t)(plus - function - 1) : 0;
}

static void add_nameless(struct nameless files[MOST_FILES], const char *function, double part)
{
	const size_t length = file_in(function);

	for (size_t i = 0; length > 0 && i < MOST_FILES; i++) {
		struct nameless *f = &files[i];

		if (f->name != NULL &&
		    (f->length != length || strncmp(f->name, function + 1, length) != 0))
			continue;
		f->name = function + 1;
		f->length = length;
		f->part += part;
		return;
	}
}

static void put_nameless(const struct hot *h, struct text *out)
{
	struct nameless files[MOST_FILES] = {{0}};

	for (size_t i = 0; i < h->count; i++)
		if (h->rows[i].function != NULL)
			add_nameless(files, h->rows[i].function,
				     part_of(&h->rows[i].cost, &h->total));
	for (size_t i = 0; i < MOST_FILES; i++)
		if (files[i].part >= MUCH)
			text_addf(out,
				  "%.*s has no names of functions here: install its debug symbols "
				  "(on Debian and Ubuntu the package's -dbgsym, which "
				  "find-dbgsym-packages names; on Fedora 'dnf debuginfo-install'), "
				  "or set DEBUGINFOD_URLS, and record again.\n",
				  (int)files[i].length, files[i].name);
}

/* ---- Allocators of languages ---- */

#define PYTHON                                                                  \
	"Python's small objects are one row, as its own allocator holds them: " \
	"PYTHONMALLOC=malloc gives each call of the allocator a row, and takes more time"
#define PERL   "Perl's values are one row, as Perl allocates them by the page"
#define JAVA   "The heap of Java is one row: its objects move, and are not told apart"
#define SCRIPT "The heap of JavaScript is one row: its objects move, and are not told apart"

/* Whose memory is one row, by the function that gets it from the system. */
static const struct {
	const char *function, *hint;
} pools[] = {
	{"_PyObject_Arena", PYTHON},	 {"Perl_more_sv", PERL},
	{"Perl_more_bodies", PERL},	 {"os::pd_commit_memory", JAVA},
	{"os::pd_reserve_memory", JAVA}, {"v8::base::OS::Allocate", SCRIPT},
};

static const char *hint_of(const struct data_row *r)
{
	for (size_t i = 0; r->function != NULL && i < sizeof(pools) / sizeof(pools[0]); i++)
		if (strncmp(r->function, pools[i].function, strlen(pools[i].function)) == 0)
			return pools[i].hint;
	return NULL;
}

static void put_pools(const struct data *d, struct text *out)
{
	const char *told = NULL;

	for (size_t i = 0; i < d->count; i++) {
		const char *hint =
			part_of(&d->rows[i].cost, &d->total) >= MUCH ? hint_of(&d->rows[i]) : NULL;

		if (hint == NULL || (told != NULL && strcmp(told, hint) == 0))
			continue;
		text_addf(out, "%s.\n", hint);
		told = hint;
	}
}

void hints_put(const struct hot *functions, const struct data *data, struct text *out)
{
	put_nameless(functions, out);
	put_pools(data, out);
}
