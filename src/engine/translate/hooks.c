/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of hooked places, and the list of functions to hook; see hooks.h. */
#include "engine/translate/hooks.h"

#include "engine/codecache/cache.h"
#include "engine/core/elf_search.h"
#include "engine/core/lock.h"
#include "engine/core/records.h"
#include "engine/core/util.h"

/* C++ names are those of the Itanium ABI: nw new, na new[], dl delete, da delete[]. */
static const struct hook_function functions[] = {
	{"malloc", SITE_MALLOC, HOOK_SIZE},
	{"free", 0, HOOK_FREE},
	{"calloc", SITE_CALLOC, HOOK_ARRAY},
	{"realloc", SITE_REALLOC, HOOK_RESIZE},
	{"reallocarray", SITE_REALLOCARRAY, HOOK_RESIZE_ARRAY},
	{"aligned_alloc", SITE_ALIGNED_ALLOC, HOOK_SIZE_SECOND},
	{"memalign", SITE_MEMALIGN, HOOK_SIZE_SECOND},
	{"posix_memalign", SITE_POSIX_MEMALIGN, HOOK_SIZE_THIRD_OUT},
	{"valloc", SITE_VALLOC, HOOK_SIZE},
	{"pvalloc", SITE_PVALLOC, HOOK_SIZE},
	{"cfree", 0, HOOK_FREE},
	{"free_sized", 0, HOOK_FREE},
	{"free_aligned_sized", 0, HOOK_FREE},
	{"mallocx", SITE_MALLOCX, HOOK_SIZE},
	{"rallocx", SITE_RALLOCX, HOOK_RESIZE},
	{"dallocx", 0, HOOK_FREE},
	{"sdallocx", 0, HOOK_FREE},
	{"_Znwm", SITE_NEW, HOOK_SIZE},
	{"_ZnwmRKSt9nothrow_t", SITE_NEW, HOOK_SIZE},
	{"_ZnwmSt11align_val_t", SITE_NEW, HOOK_SIZE},
	{"_ZnwmSt11align_val_tRKSt9nothrow_t", SITE_NEW, HOOK_SIZE},
	{"_Znam", SITE_NEW_ARRAY, HOOK_SIZE},
	{"_ZnamRKSt9nothrow_t", SITE_NEW_ARRAY, HOOK_SIZE},
	{"_ZnamSt11align_val_t", SITE_NEW_ARRAY, HOOK_SIZE},
	{"_ZnamSt11align_val_tRKSt9nothrow_t", SITE_NEW_ARRAY, HOOK_SIZE},
	{"_ZdlPv", 0, HOOK_FREE},
	{"_ZdlPvm", 0, HOOK_FREE},
	{"_ZdlPvRKSt9nothrow_t", 0, HOOK_FREE},
	{"_ZdlPvSt11align_val_t", 0, HOOK_FREE},
	{"_ZdlPvmSt11align_val_t", 0, HOOK_FREE},
	{"_ZdlPvSt11align_val_tRKSt9nothrow_t", 0, HOOK_FREE},
	{"_ZdaPv", 0, HOOK_FREE},
	{"_ZdaPvm", 0, HOOK_FREE},
	{"_ZdaPvRKSt9nothrow_t", 0, HOOK_FREE},
	{"_ZdaPvSt11align_val_t", 0, HOOK_FREE},
	{"_ZdaPvmSt11align_val_t", 0, HOOK_FREE},
	{"_ZdaPvSt11align_val_tRKSt9nothrow_t", 0, HOOK_FREE},
	{"runtime.mallocgc", SITE_GO, HOOK_GO},
};

#define FUNCTIONS  (sizeof functions / sizeof functions[0])
#define NAME_SLOTS 256u
#define SLOTS	   (1u << 18)
#define MOST	   (SLOTS / 2)

/* pc << 8 | what; what is 0 in a removed entry. Writers hold the translate lock. */
static uint64_t *slots;
static uint32_t used;
/* A bit per hash value of any hooked place: it answers nearly all lookups, which find nothing. */
#define KNOWN_BITS 17
static uint64_t known[(1u << KNOWN_BITS) / 64];
static uint8_t by_name[NAME_SLOTS]; /* index of a function + 1 */
static struct hook_function
	named[2 * CHANNEL_MOST_ALLOCATORS]; /* allocating and freeing ones in turn */

static uint32_t hash_name(const char *s)
{
	uint32_t h = 5381;

	while (*s)
		h = h * 33 + (uint8_t)*s++;
	return (h ^ h >> 11) % NAME_SLOTS;
}

static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static void find_named(void)
{
	const struct channel_config *c = &engine.config;
	const char *name = c->allocators, *end = name + sizeof c->allocators;

	for (uint32_t i = 0;
	     i < 2 * c->allocator_count && i < 2 * CHANNEL_MOST_ALLOCATORS && name < end; i++) {
		named[i] =
			i % 2 ? (struct hook_function){name, 0, HOOK_FREE,
						       c->allocator_freed[i / 2] - 1}
			      : (struct hook_function){name, (uint8_t)(SITE_KINDS + i / 2),
						       HOOK_ARGUMENT, c->allocator_size[i / 2] - 1};
		while (name < end && *name++)
			;
	}
}

int hooks_init(void)
{
	struct grow memory; /* only touched pages take memory */

	if (grow_init_whole(&memory, SLOTS * sizeof *slots) == 0)
		slots = (uint64_t *)(void *)memory.base;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		uint32_t at = hash_name(functions[i].name);

		while (by_name[at])
			at = (at + 1) % NAME_SLOTS;
		by_name[at] = (uint8_t)(i + 1);
	}
	find_named();
	return slots ? 0 : -1;
}

const struct hook_function *hooks_function(uint32_t number)
{
	number -= 2;
	return number < FUNCTIONS ? &functions[number] : &named[number - FUNCTIONS];
}

static uint32_t known_of(uint64_t pc)
{
	return (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> (64 - KNOWN_BITS));
}

/* The slot of pc, or the free one for it. */
static uint64_t *slot_of(uint64_t pc)
{
	uint32_t i = (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 46);
	uint64_t v;

	while ((v = __atomic_load_n(&slots[i], __ATOMIC_RELAXED)) && v >> 8 != pc)
		i = (i + 1) & (SLOTS - 1);
	return &slots[i];
}

uint32_t hooks_find(uint64_t pc)
{
	uint32_t k = known_of(pc);

	if (!(__atomic_load_n(&known[k / 64], __ATOMIC_RELAXED) >> (k & 63) & 1))
		return HOOK_NONE;
	return __atomic_load_n(slot_of(pc), __ATOMIC_RELAXED) & 0xff;
}

/* The first entry for a pc stays. False: another one is there, or the table is full. */
static bool add(uint64_t pc, uint32_t what)
{
	uint64_t *slot = slot_of(pc);

	if (*slot & 0xff)
		return (*slot & 0xff) == what;
	if (!*slot) {
		if (used == MOST)
			return false;
		used++;
	}
	__atomic_store_n(slot, pc << 8 | what, __ATOMIC_RELAXED);
	__atomic_fetch_or(&known[known_of(pc) / 64], 1ull << (known_of(pc) & 63), __ATOMIC_RELAXED);
	cache_invalidate(pc, pc + 1);
	return true;
}

void hooks_add_function(uint64_t pc, const char *name)
{
	uint32_t n = 0;

	for (uint32_t i = hash_name(name); by_name[i] && !n; i = (i + 1) % NAME_SLOTS)
		if (is_same(functions[by_name[i] - 1].name, name))
			n = by_name[i] + 1u;
	if (!n)
		return;
	lock_take(&engine.translate_lock);
	uint32_t there = hooks_find(pc);

	/* of two names of a function keep the first in the table, which is the better one */
	if (there > n)
		__atomic_store_n(slot_of(pc), pc << 8 | n, __ATOMIC_RELAXED);
	else
		add(pc, n);
	lock_drop(&engine.translate_lock);
}

bool hooks_have_named(void)
{
	return engine.config.allocator_count != 0;
}

void hooks_add_named(uint64_t pc, const char *symbol)
{
	for (uint32_t i = 0; i < sizeof named / sizeof named[0]; i++) {
		if (!named[i].name || !named[i].name[0] || !elf_name_means(named[i].name, symbol))
			continue;
		records_allocator(i);
		lock_take(&engine.translate_lock);
		add(pc, 2 + FUNCTIONS + i);
		lock_drop(&engine.translate_lock);
	}
}

bool hooks_add_return(uint64_t pc)
{
	bool added;

	if (hooks_find(pc))
		return true;
	lock_take(&engine.translate_lock);
	added = add(pc, HOOK_RETURN);
	lock_drop(&engine.translate_lock);
	return added;
}

void hooks_remove(uint64_t start, uint64_t end)
{
	lock_take(&engine.translate_lock);
	for (uint32_t i = 0; i < SLOTS; i++) {
		uint64_t pc = slots[i] >> 8;

		if (pc >= start && pc < end && slots[i])
			__atomic_store_n(&slots[i], pc << 8, __ATOMIC_RELAXED);
	}
	lock_drop(&engine.translate_lock);
}
