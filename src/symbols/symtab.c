/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file's symbols in order of address. libdwfl looks through all of them for
 * each question, which is minutes for a compiler with 60,000 symbols and
 * 10,000 sampled addresses; here each file is sorted once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "symbols/private.h"

#define LOOK_BACK 16 /* symbols that may start between a covering one and the address */

/* Better names first among symbols at one address: with a size, then global, then weak. */
static int rank(const GElf_Sym *symbol)
{
	static const int by_binding[] = {[STB_LOCAL] = 2, [STB_GLOBAL] = 0, [STB_WEAK] = 1};
	unsigned binding = GELF_ST_BIND(symbol->st_info);

	return (symbol->st_size == 0 ? 4 : 0) + (binding <= STB_WEAK ? by_binding[binding] : 3);
}

/* Among symbols at one address. */
static int compare(const void *a, const void *b)
{
	const struct symbols_entry *x = a, *y = b;

	return x->rank != y->rank ? x->rank - y->rank : strcmp(x->name, y->name);
}

/* By address, and at one address the best name first. Returns -1 when memory ran out. */
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

static void read_symbols(struct symbols_file *f)
{
	int n = dwfl_module_getsymtab(f->module);

	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name =
			dwfl_module_getsym_info(f->module, i, &symbol, &address, NULL, NULL, NULL);

		if (!is_code(&symbol, name))
			continue;
		if (!ARRAY_GROW(&f->symtab))
			break; /* fewer names, that is all */
		f->symtab.items[f->symtab.count++] = (struct symbols_entry){
			.address = address - f->bias,
			.bytes = symbol.st_size,
			.rank = rank(&symbol),
			.name = name,
		};
	}
	if (sort_symbols(&f->symtab.items, f->symtab.count) != 0)
		f->symtab.count = 0;
	f->symtab.room = f->symtab.count;
}

struct symbols_entry *symbols_table_find(struct symbols_file *f, uint64_t address)
{
	struct symbols_entry *e, *first, *best = NULL;
	size_t low = 0, high;

	if (!f->symtab_read)
		read_symbols(f);
	f->symtab_read = true;
	high = f->symtab.count;
	while (low < high) { /* the first symbol above the address */
		size_t middle = low + (high - low) / 2;

		if (f->symtab.items[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	first = f->symtab.items + (low > LOOK_BACK ? low - LOOK_BACK : 0);
	for (e = f->symtab.items + low - 1; e >= first; e--) {
		if (best != NULL && e->address != best->address)
			break;
		if (address - e->address < e->bytes)
			best = e; /* of one address the best rank is the lowest entry */
	}
	if (best != NULL)
		return best;
	/* A symbol without a size, from hand-written code, must not swallow what follows it. */
	e = f->symtab.items + low - 1;
	if (e->bytes != 0 || symbols_function_start(f, address) > e->address)
		return NULL;
	return e;
}

void symbols_table_release(struct symbols_file *f)
{
	free(f->symtab.items);
	memset(&f->symtab, 0, sizeof(f->symtab));
	f->symtab_read = false;
}
