/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the target maps: by itself, for an allocator, or as a stack; see alloc.h. The lock is
 * that of alloc.c.
 */
#include "engine/data/mapped.h"

#include "engine/core/proc.h"
#include "engine/core/records.h"
#include "engine/core/upward.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/data/locals.h"
#include "engine/data/regions.h"
#include "engine/data/sites.h"
#include "engine/unwind/modules.h"
#include "engine/unwind/unwind.h"

/*
 * The most bytes between a stack and the end of its mapping: the C library's data of the thread,
 * rounded up to pages.
 */
#define MOST_ABOVE_STACK 65536u
#define OF_LIBRARY	 2304u /* bytes that the C library keeps of a thread above its variables */

static uint32_t allocator_site; /* 0: none yet */

bool mapped_is_allocators(uint32_t site)
{
	return site && site == allocator_site;
}

/* The name for a mapping of an open file: the last part of its path; none for devices. */
static const char *name_of_data(long fd, char *path, uint32_t room)
{
	static const char deleted[] = " (deleted)";
	const long tail = sizeof deleted - 1;
	long n = fd >= 0 ? proc_name_of_fd(fd, path, room) : 0, from;

	if (n <= 0)
		return "";
	if (n > tail && text_behind(path + n - tail, deleted))
		path[n -= tail] = 0;
	for (from = n; from > 0 && path[from - 1] != '/'; from--)
		;
	/* A device has no data of its own: what lies in a mapping of /dev/zero is the program's. */
	return text_behind(path, "/dev/") && !text_behind(path, "/dev/shm/") ? "" : path + from;
}

/* The site of a system call that has just returned. The path omits the function that made it. */
static uint32_t site_of_call(struct thread *t, uint32_t kind, uint32_t name)
{
	uint64_t path[SITE_MAX_DEPTH];
	uint32_t depth = unwind_path(t->rip, t->regs[RSP], t->regs[RBP], path, SITE_MAX_DEPTH);

	return sites_get_named(kind, name, path, depth);
}

static bool is_in_call(const struct thread *t)
{
	return alloc_call_goes_on(t, t->regs[RSP]);
}

/* Memory that an allocation function got: its blocks are data structures, what is left is one. */
static void add_to_allocator(struct thread *t, uint64_t start, uint64_t end)
{
	alloc_hold();
	if (!allocator_site)
		allocator_site = sites_get(SITE_ALLOCATOR, 0, 0);
	regions_add(start, end, allocator_site);
	upward.forget_owners(start, end);
	sites_publish(t->process, allocator_site);
	alloc_let_go();
}

/* Memory has got another owner. */
static void changed(uint64_t start, uint64_t end)
{
	alloc_version++;
	upward.forget_owners(start, end);
}

static void add_region(struct thread *t, uint64_t start, uint64_t end, uint32_t site)
{
	regions_add(start, end, site);
	changed(start, end);
	sites_add_block(site, end - start, 0);
	sites_publish(t->process, site);
}

static void add_mapping(struct thread *t, uint64_t start, uint64_t end, uint32_t kind, long fd)
{
	char path[1024];
	const char *name;

	if (!engine.config.objects)
		return;
	if (is_in_call(t)) {
		add_to_allocator(t, start, end);
		return;
	}
	name = name_of_data(fd, path, sizeof path);
	alloc_hold();
	add_region(t, start, end, site_of_call(t, kind, sites_name(name)));
	alloc_let_go();
}

void alloc_mapped(struct thread *t, uint64_t start, uint64_t end, long fd, bool may_be_image)
{
	if (!engine.config.objects)
		return;
	alloc_unmapped(t, start, end);
	if (!may_be_image || !modules_is_interpreter(t->rip))
		add_mapping(t, start, end, SITE_MMAP, fd);
}

void alloc_attached(struct thread *t, uint64_t start, uint64_t end)
{
	if (!engine.config.objects)
		return;
	alloc_unmapped(t, start, end);
	add_mapping(t, start, end, SITE_SHMAT, -1);
}

void alloc_heap_grew(struct thread *t, uint64_t start, uint64_t end)
{
	add_mapping(t, start, end, SITE_BRK, -1);
}

void alloc_unmapped(struct thread *t, uint64_t start, uint64_t end)
{
	struct region cut;
	bool whole;

	if (!engine.config.objects)
		return;
	alloc_hold();
	changed(start, end);
	locals_forget(start, end);
	while (regions_cut(start, end, &cut, &whole)) {
		if (mapped_is_allocators(cut.site))
			continue;
		if (whole)
			sites_drop_block(cut.site, cut.end - cut.start);
		else
			sites_drop_bytes(cut.site, cut.end - cut.start);
	}
	alloc_drop_blocks(t, start, end);
	alloc_let_go();
}

void alloc_remapped(struct thread *t, uint64_t old, uint64_t old_end, uint64_t start, uint64_t end)
{
	struct region r;
	bool known;

	if (!engine.config.objects)
		return;
	alloc_hold();
	known = regions_find(old, &r);
	alloc_let_go();
	alloc_unmapped(t, old, old_end);
	alloc_unmapped(t, start, end);
	if (!known)
		return;
	if (mapped_is_allocators(r.site)) {
		add_to_allocator(t, start, end);
		return;
	}
	alloc_hold();
	add_region(t, start, end, r.site);
	alloc_let_go();
}

void alloc_stack(struct thread *t, uint64_t start, uint64_t end)
{
	if (!engine.config.objects)
		return;
	alloc_unmapped(t, start, end);
	alloc_hold();
	add_region(t, start, end, sites_get(SITE_STACK, 0, 0));
	alloc_let_go();
}

/* Memory that was something else holds thread-local variables. */
static void turn_into_locals(struct thread *t, uint64_t start, uint64_t end, uint32_t site)
{
	struct region cut;
	bool whole;

	while (regions_cut(start, end, &cut, &whole))
		if (!mapped_is_allocators(cut.site))
			sites_drop_bytes(cut.site, cut.end - cut.start);
	add_region(t, start, end, site);
}

/* `tls`: the thread pointer, right above the variables. */
static void add_locals(struct thread *t, uint64_t start, uint64_t end, uint64_t tls, uint32_t site)
{
	turn_into_locals(t, start, end, site);
	locals_of_thread(t, tls, start, 0);
}

static void add_late_locals(struct thread *t, uint64_t start, uint64_t end)
{
	struct region r;
	const uint32_t site = sites_get(SITE_LOCAL, 0, 0);

	if (!regions_find(start, &r) || sites_kind_of(r.site) != SITE_LOCAL)
		turn_into_locals(t, start, end, site);
	changed(start, end);
}

void alloc_linker_protected(struct thread *t)
{
	uint64_t at = 0, tls;

	if (!engine.config.objects || !modules_is_interpreter(t->rip))
		return;
	alloc_hold();
	if (locals_have_changed())
		while (locals_next_thread(&at, &tls))
			locals_of_thread(t, tls, 0, add_late_locals);
	alloc_let_go();
}

/*
 * Is the whole mapping a stack? Then it ends with the stack, or with the C library's data above.
 * Go's runtime has its stacks, and its thread-local variables, amid the heap.
 */
static bool is_whole_stack(const struct region *r, uint64_t rsp, uint64_t tls)
{
	return r->end - rsp <= MOST_ABOVE_STACK ||
	       (tls >= rsp && tls < r->end && r->end - tls <= MOST_ABOVE_STACK);
}

void alloc_stack_at(struct thread *t, uint64_t rsp, uint64_t tls)
{
	struct region r;
	uint32_t site;

	if (!engine.config.objects)
		return;
	alloc_hold();
	/* The mapping becomes a stack; a stack inside a block still counts as the block. */
	if (regions_find(rsp - 1, &r) && !mapped_is_allocators(r.site) &&
	    is_whole_stack(&r, rsp, tls)) {
		site = sites_kind(r.site, SITE_STACK);
		if (site != r.site) {
			regions_set_site(r.start, site);
			changed(r.start, r.end);
			sites_drop_block(r.site, r.end - r.start);
			sites_add_block(site, r.end - r.start, 0);
			sites_publish(t->process, site);
		}
		if (tls >= rsp && tls < r.end)
			add_locals(t, rsp, r.end, tls, sites_kind(site, SITE_LOCAL));
	}
	alloc_let_go();
}

/* only once: a program that moves them later has its own, unknown runtime */
void alloc_first_locals(struct thread *t, uint64_t tls)
{
	static bool told;
	uint64_t bytes, variable, variable_end;

	if (!engine.config.objects || told)
		return;
	told = true;
	/* Some runtimes have them in a file's data. */
	if (modules_variable(tls, &variable, &variable_end))
		return;
	bytes = locals_bytes();
	if (bytes > tls)
		return;
	alloc_hold();
	locals_have_changed();
	add_locals(t, tls - bytes, tls + OF_LIBRARY, tls, sites_get(SITE_LOCAL, 0, 0));
	alloc_let_go();
}
