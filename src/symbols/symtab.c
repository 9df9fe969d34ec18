/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file's symbols in order of address. libdwfl searches all of them for each question, which takes
 * minutes for a compiler with 60,000 symbols and 10,000 sampled addresses. Here each file is sorted
 * once, code and data apart.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "symbols/private.h"

#define LOOK_BACK 16 /* symbols that may start between a covering symbol and the address */

/* Rank symbols at one address: those with a size first, then global, then weak ones. */
static int rank(const GElf_Sym *symbol)
{
	static const int by_binding[] = {[STB_LOCAL] = 2, [STB_GLOBAL] = 0, [STB_WEAK] = 1};
	unsigned binding = GELF_ST_BIND(symbol->st_info);

	return (symbol->st_size == 0 ? 4 : 0) + (binding <= STB_WEAK ? by_binding[binding] : 3);
}

/* Order of symbols at one address. */
static int compare(const void *a, const void *b)
{
	const struct symbols_entry *x = a, *y = b;

	return x->rank != y->rank ? x->rank - y->rank : strcmp(x->name, y->name);
}

/* Sort by address, and at one address by rank. Returns -1 when memory ran out. */
static int sort_symbols(struct symbols_entry **symbols, size_t count)
{
	struct sort_item *order = calloc(count + 1, sizeof(*order));
	struct symbols_entry *sorted = calloc(count + 1, sizeof(*sorted));
	size_t i, first;

	for (i = 0; order != NULL && i < count; i++)
		order[i] = (struct sort_item){(*symbols)[i].address, i};
	if (order == NULL || sorted == NULL || sort_by_key(order, count) != 0) {
		free(order);
		free(sorted);
		return -1;
	}
	for (i = 0; i < count; i++)
		sorted[i] = (*symbols)[order[i].index];
	free(order);
	for (first = 0; first < count; first = i) {
		for (i = first + 1; i < count && sorted[i].address == sorted[first].address; i++)
			;
		if (i - first > 1)
			qsort(sorted + first, i - first, sizeof(*sorted), compare);
	}
	free(*symbols);
	*symbols = sorted;
	return 0;
}

static int is_code(const GElf_Sym *symbol, const char *name)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return name != NULL && name[0] != '\0' && symbol->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static int is_data(const GElf_Sym *symbol, const char *name)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return name != NULL && name[0] != '\0' && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_shndx != SHN_ABS && symbol->st_size > 0 &&
	       (type == STT_OBJECT || type == STT_COMMON || type == STT_TLS);
}

static void read_symbols(struct symbols_file *f, struct symbols_table *t,
			 int (*is_wanted)(const GElf_Sym *symbol, const char *name))
{
	int n = t->is_read ? 0 : dwfl_module_getsymtab(f->module);

	if (t->is_read)
		return;
	t->is_read = true;

	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name =
			dwfl_module_getsym_info(f->module, i, &symbol, &address, NULL, NULL, NULL);

		if (!is_wanted(&symbol, name))
			continue;
		if (!ARRAY_GROW(t))
			break; /* there are just fewer names */
		t->items[t->count++] = (struct symbols_entry){
			.address = GELF_ST_TYPE(symbol.st_info) == STT_TLS
					   ? SYMBOLS_LOCALS + symbol.st_value
					   : address - f->bias,
			.bytes = symbol.st_size,
			.rank = rank(&symbol),
			.name = name,
		};
	}
	if (sort_symbols(&t->items, t->count) != 0)
		t->count = 0;
	t->room = t->count;
}

size_t symbols_table_above(const struct symbols_table *t, uint64_t address)
{
	return SEARCH_FIRST(i, t->count, t->items[i].address > address);
}

/* The nearest symbol below `above` whose size covers the address; or NULL. */
static struct symbols_entry *find_covering(const struct symbols_table *t, size_t above,
					   uint64_t address)
{
	struct symbols_entry *e, *first, *best = NULL;

	first = t->items + (above > LOOK_BACK ? above - LOOK_BACK : 0);
	for (e = t->items + above; e-- > first;) {
		if (best != NULL && e->address != best->address)
			break;
		if (address - e->address < e->bytes)
			best = e; /* of one address, the lowest entry has the best rank */
	}
	return best;
}

struct symbols_entry *symbols_table_find(struct symbols_file *f, uint64_t address)
{
	struct symbols_entry *e;
	size_t above;

	read_symbols(f, &f->code, is_code);
	above = symbols_table_above(&f->code, address);
	if (above == 0)
		return NULL;
	e = find_covering(&f->code, above, address);
	if (e != NULL)
		return e;
	/* A symbol without a size, from assembly code, must not cover later functions. */
	e = f->code.items + above - 1;
	if (e->bytes != 0 || symbols_function_start(f, address) > e->address)
		return NULL;
	return e;
}

struct symbols_entry *symbols_table_find_data(struct symbols_file *f, uint64_t address)
{
	size_t above;

	read_symbols(f, &f->data, is_data);
	above = symbols_table_above(&f->data, address);
	return above > 0 ? find_covering(&f->data, above, address) : NULL;
}

void symbols_table_release(struct symbols_file *f)
{
	free(f->code.items);
	free(f->data.items);
	f->code = f->data = (struct symbols_table){0};
}
