/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that change mappings. The translate lock is held across each, so that no block is
 * made from memory that is being unmapped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>

#include "channel/sys.h"
#include "engine/codecache/cache.h"
#include "engine/codecache/mapped_files.h"
#include "engine/codecache/pages.h"
#include "engine/core/addresses.h"
#include "engine/core/limits.h"
#include "engine/core/lock.h"
#include "engine/core/proc.h"
#include "engine/core/program_limits.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/drive/ticker.h"
#include "engine/run/process.h"
#include "engine/run/syscalls/behind.h"
#include "engine/run/syscalls/limit_calls.h"
#include "engine/run/syscalls/own_memory.h"
#include "engine/run/syscalls/syscalls.h"
#include "engine/simulate/mode/filter_end.h"
#include "engine/simulate/state/filter_memory.h"
#include "engine/unwind/modules.h"

static void tell_module(struct thread *t, uint64_t start, uint64_t end, uint64_t offset, long fd)
{
	char path[1024];

	if (proc_name_of_fd(fd, path, sizeof path) <= 0)
		return;
	process_add_module(t->process, start, end, offset, path, (int)fd);
	modules_add(start, end, offset, (int)fd, MODULE_LIBRARY, t->process->total.accesses);
}

/* Would a mapping there replace memory that the engine needs? */
static bool refuses(const struct thread *t, uint64_t start, uint64_t end)
{
	if (!addresses_have_tables(start, end) && !cache_overlaps(start, end))
		return false;
	say("process %lu: it maps memory at 0x%lx to 0x%lx, where the engine has its own: it gets "
	    "ENOMEM "
	    "(run the program without dwell)",
	    (uint64_t)t->process->pid, start, end);
	return true;
}

/* The program is about to request memory there, with these mmap flags. False: refuse. */
static bool prepare_place(struct thread *t, uint64_t start, uint64_t end, long flags)
{
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE))
		filter_before_mapping(t, start, end);
	else if (start)
		filter_before_wish(t, start, end);
	return !(flags & MAP_FIXED) || (flags & MAP_FIXED_NOREPLACE) || !refuses(t, start, end);
}

/* The page size that a mapping's flags request; the kernel rounds up to it. */
static uint64_t page_of(long flags)
{
	const unsigned bits = (unsigned)(flags >> MAP_HUGE_SHIFT) & MAP_HUGE_MASK;

	return !(flags & MAP_HUGETLB) ? PAGE : bits ? 1ull << bits : 2ull << 20;
}

static long map_memory(struct thread *t, long nr, const long a[6])
{
	uint64_t bytes = round_up((uint64_t)a[1], page_of(a[3]));
	uint64_t id = a[3] & MAP_ANONYMOUS ? 0 : behind_id_of_file(a[4]);
	bool changes = (a[3] & MAP_TYPE) != MAP_PRIVATE || behind_may_change(a[4], id);
	bool held;
	long r;

	if (!prepare_place(t, (uint64_t)a[0], (uint64_t)a[0] + bytes, a[3]))
		return -ENOMEM;
	lock_take(&engine.translate_lock);
	held = ticker_could_interrupt(nr, a) && t->has_timer && ticker_hold_briefly();
	r = sys6(SYS_mmap, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (held)
		ticker_let_go(t, TICKS_BLOCKED);
	if (!sys_failed(r)) {
		uint64_t start = (uint64_t)r, end = start + bytes;
		bool file = !(a[3] & MAP_ANONYMOUS);

		if (a[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE))
			pages_discard(start, end);
		changes = changes || (id && (a[2] & PROT_EXEC) && mapped_files_have_shared(id));
		mappings_set(start, end, (uint32_t)a[2], changes, file, a[3] & MAP_GROWSDOWN);
		if (id)
			mappings_of_file(start, end, id);
		if (id && (a[2] & PROT_WRITE) && (a[3] & MAP_TYPE) != MAP_PRIVATE)
			mappings_may_change(id);
		filter_after_wish((uint64_t)a[0], (uint64_t)a[0] + bytes, start);
	}
	lock_drop(&engine.translate_lock);
	if (!engine.quiet)
		limits_met(r);
	if (!sys_failed(r))
		alloc_mapped(t, (uint64_t)r, (uint64_t)r + bytes, a[3] & MAP_ANONYMOUS ? -1 : a[4],
			     !(a[3] & MAP_ANONYMOUS) || (a[3] & MAP_FIXED) || !(a[2] & PROT_WRITE));
	if (!sys_failed(r) && (a[3] & MAP_FIXED))
		process_replace_modules(t->process, (uint64_t)r, (uint64_t)r + bytes);
	if (!sys_failed(r) && (a[2] & PROT_EXEC) && !(a[3] & MAP_ANONYMOUS))
		tell_module(t, (uint64_t)r, (uint64_t)r + bytes, (uint64_t)a[5], a[4]);
	return r;
}

#define VAST (1ull << 40) /* less would have had room */

long syscalls_mmap(struct thread *t, long nr, const long a[6])
{
	long r = map_memory(t, nr, a);

	if (r == -ENOMEM && (uint64_t)a[1] >= VAST && filter_gives_space(t))
		r = map_memory(t, nr, a);
	return r;
}

#define FULL_ADDRESS (1ull << 47)

/* Is the range valid? If not, the kernel is left to refuse it. */
static bool is_range(uint64_t start, uint64_t end)
{
	return !(start & (PAGE - 1)) && start < end && end <= FULL_ADDRESS;
}

/* Unmaps only the program's part of the range: natively nothing is elsewhere. */
static long unmap(uint64_t start, uint64_t bytes)
{
	const uint64_t end = start + round_up(bytes, PAGE);
	struct own_memory part;
	long r = 0;

	if (!is_range(start, end))
		return sys2(SYS_munmap, start, bytes);
	for (; r == 0 && start < end && own_memory_in(start, end, &part); start = part.end)
		if (part.start > start)
			r = sys2(SYS_munmap, start, part.start - start);
	return r == 0 && start < end ? sys2(SYS_munmap, start, end - start) : r;
}

long syscalls_munmap(struct thread *t, long nr, const long a[6])
{
	uint64_t start = (uint64_t)a[0], end = start + round_up((uint64_t)a[1], PAGE);
	const struct mapping *m;
	bool code = false;
	long r;

	(void)nr;
	lock_take(&engine.translate_lock);
	r = unmap(start, (uint64_t)a[1]);
	if (r == 0) {
		m = mappings_find(start);
		code = m && m->file;
		pages_discard(start, end);
		mappings_clear(start, end);
		filter_after_unmapping(start);
	}
	lock_drop(&engine.translate_lock);
	if (r == 0)
		alloc_unmapped(t, start, end);
	if (code)
		process_remove_module(t->process, start, end);
	return r;
}

#define ALL_PROT \
	(PROT_READ | PROT_WRITE | PROT_EXEC | PROT_GROWSDOWN | PROT_GROWSUP | 8 /* PROT_SEM */)

/* The kernel changes one mapping after the other, and stops at the first hole. */
static long protect(long nr, const long a[6], uint64_t start, uint64_t *end)
{
	struct own_memory part;
	long r = 0;

	if (!is_range(start, *end) || (a[2] & ~ALL_PROT) || !own_memory_in(start, *end, &part))
		return sys4(nr, a[0], a[1], a[2], a[3]);
	*end = part.start;
	if (part.start > start)
		r = sys4(nr, start, part.start - start, a[2], a[3]);
	if (r == 0 && part.start > start)
		mappings_protect(start, part.start, (uint32_t)a[2] & 7);
	return r ? r : -ENOMEM;
}

long syscalls_mprotect(struct thread *t, long nr, const long a[6])
{
	uint64_t start = (uint64_t)a[0], end = start + round_up((uint64_t)a[1], PAGE);
	long r;

	lock_take(&engine.translate_lock);
	r = protect(nr, a, start, &end);
	if (r == 0 || r == -ENOMEM || r == -EACCES) {
		/* code is protected again when it next runs; errors may come half-way */
		if (end > start && cache_has_code(start, end))
			pages_discard(start, end);
		if (r == 0 && end > start)
			mappings_protect(start, end, (uint32_t)a[2] & 7);
	}
	lock_drop(&engine.translate_lock);
	if (r == 0)
		alloc_linker_protected(t);
	if (!engine.quiet)
		limits_divided(r);
	return r;
}

#define NOWHERE 0x7ffffffff000 /* never mapped */

/*
 * Does the range to move reach into the engine's memory, which natively is a hole? Then *result is
 * the kernel's answer to a hole: shrinking in place succeeds; all else fails, with any other error
 * first.
 */
static bool remaps_past(const long a[6], uint64_t old_bytes, uint64_t new_bytes, long *result)
{
	const uint64_t old = (uint64_t)a[0], end = old + (old_bytes ? old_bytes : PAGE);
	struct own_memory part;

	if (!is_range(old, end) || !own_memory_in(old, end, &part))
		return false;
	if (!mappings_find(old) || !new_bytes || new_bytes > old_bytes ||
	    (a[3] & ~MREMAP_MAYMOVE)) {
		*result = sys5(SYS_mremap, NOWHERE, a[1], a[2], a[3], a[4]);
		return true;
	}
	*result = new_bytes < old_bytes ? unmap(old + new_bytes, old_bytes - new_bytes) : 0;
	if (*result == 0) {
		pages_discard(old + new_bytes, end);
		mappings_clear(old + new_bytes, end);
		*result = a[0];
	}
	return true;
}

long syscalls_mremap(struct thread *t, long nr, const long a[6])
{
	uint64_t old = (uint64_t)a[0], old_bytes = round_up((uint64_t)a[1], PAGE);
	uint64_t new_bytes = round_up((uint64_t)a[2], PAGE);
	struct mapping like = {0};
	const struct mapping *m;
	bool held;
	long r;

	(void)nr;
	if ((a[3] & MREMAP_FIXED) &&
	    !prepare_place(t, (uint64_t)a[4], (uint64_t)a[4] + new_bytes, MAP_FIXED))
		return -ENOMEM;
	lock_take(&engine.translate_lock);
	if (remaps_past(a, old_bytes, new_bytes, &r)) {
		lock_drop(&engine.translate_lock);
		if (!sys_failed(r))
			alloc_unmapped(t, old + new_bytes, old + old_bytes);
		return r;
	}
	m = mappings_find(old);
	if (m)
		like = *m;
	if (old_bytes && cache_has_code(old, old + old_bytes))
		pages_release_range(old, old + old_bytes);
	/* a signal can interrupt it if pages were merged (KSM) */
	held = m && t->has_timer && ticker_hold_briefly();
	r = sys5(SYS_mremap, a[0], a[1], a[2], a[3], a[4]);
	if (held)
		ticker_let_go(t, TICKS_BLOCKED);
	if (!sys_failed(r)) {
		pages_discard(old, old + old_bytes);
		if (old_bytes && !(a[3] & MREMAP_DONTUNMAP))
			mappings_clear(old, old + old_bytes);
		pages_discard((uint64_t)r, (uint64_t)r + new_bytes);
		mappings_set((uint64_t)r, (uint64_t)r + new_bytes, like.prot, like.shared,
			     like.file, like.stack);
		if (like.file_id)
			mappings_of_file((uint64_t)r, (uint64_t)r + new_bytes, like.file_id);
	}
	lock_drop(&engine.translate_lock);
	if (!sys_failed(r))
		alloc_remapped(t, old, old + old_bytes, (uint64_t)r, (uint64_t)r + new_bytes);
	return r;
}

static long move_brk(struct thread *t, const long a[6])
{
	static uint64_t bottom;
	uint64_t before, now;
	long r;

	lock_take(&engine.translate_lock);
	before = (uint64_t)sys1(SYS_brk, 0);
	if (!bottom)
		bottom = before;
	r = sys1(SYS_brk, a[0]);
	now = (uint64_t)r;
	if (round_up(now, PAGE) > round_up(before, PAGE)) {
		mappings_set(round_up(before, PAGE), round_up(now, PAGE), PROT_READ | PROT_WRITE,
			     false, false, false);
	} else if (round_up(now, PAGE) < round_up(before, PAGE)) {
		pages_discard(round_up(now, PAGE), round_up(before, PAGE));
		mappings_clear(round_up(now, PAGE), round_up(before, PAGE));
	}
	lock_drop(&engine.translate_lock);
	if (now > before)
		alloc_heap_grew(t, before, now);
	else
		alloc_unmapped(t, now, before);
	return r;
}

/* Do tables of a simulation lie where the heap is to grow, and nothing that stays? */
static bool gives_way(struct thread *t, uint64_t start, uint64_t end)
{
	if (end > FULL_ADDRESS || cache_overlaps(start, end) || addresses_have_tables(start, end) ||
	    !filter_memory_overlaps(start, end))
		return false;
	filter_before_mapping(t, start, end);
	return true;
}

long syscalls_brk(struct thread *t, long nr, const long a[6])
{
	long r = move_brk(t, a);

	(void)nr;
	if (r < a[0] && limit_calls_settle(t))
		r = move_brk(t, a);
	if (r < a[0] && gives_way(t, (uint64_t)r, (uint64_t)a[0]))
		r = move_brk(t, a);
	return r;
}

/*
 * Attached System V shared memory, as shmdt does not say how long it is. The translate lock guards
 * it. If the table is full, a later detach goes unnoticed.
 */
static struct attached {
	uint64_t start, bytes;
} attached[4096];
static uint32_t attached_count;

static void add_attached(uint64_t start, uint64_t bytes)
{
	if (attached_count < sizeof attached / sizeof attached[0])
		attached[attached_count++] = (struct attached){start, bytes};
}

/* Removes the entry at start. Returns its bytes, or 0. */
static uint64_t take_attached(uint64_t start)
{
	for (uint32_t i = attached_count; i-- > 0;) {
		uint64_t bytes = attached[i].bytes;

		if (attached[i].start != start)
			continue;
		attached[i] = attached[--attached_count];
		return bytes;
	}
	return 0;
}

long syscalls_shmat(struct thread *t, long nr, const long a[6])
{
	const uint32_t prot = PROT_READ | (a[2] & SHM_RDONLY ? 0u : PROT_WRITE) |
			      (a[2] & SHM_EXEC ? PROT_EXEC : 0u);
	struct shmid_ds about = {0};
	uint64_t bytes = 0, start;
	long r;

	if (!sys_failed(sys3(SYS_shmctl, a[0], IPC_STAT, &about)))
		bytes = round_up(about.shm_segsz, PAGE);
	if (a[1] && !prepare_place(t, (uint64_t)a[1], (uint64_t)a[1] + bytes,
				   a[2] & SHM_REMAP ? MAP_FIXED : MAP_FIXED_NOREPLACE))
		return -ENOMEM;
	lock_take(&engine.translate_lock);
	r = sys3(nr, a[0], a[1], a[2]);
	start = (uint64_t)r;
	if (!sys_failed(r) && bytes) {
		if (a[2] & SHM_REMAP)
			pages_discard(start, start + bytes);
		mappings_set(start, start + bytes, prot, true, false, false);
		add_attached(start, bytes);
	}
	lock_drop(&engine.translate_lock);
	if (!sys_failed(r) && bytes)
		alloc_attached(t, start, start + bytes);
	return r;
}

long syscalls_shmdt(struct thread *t, long nr, const long a[6])
{
	uint64_t start = (uint64_t)a[0], bytes = 0;
	long r;

	(void)t;
	lock_take(&engine.translate_lock);
	r = sys1(nr, a[0]);
	if (r == 0)
		bytes = take_attached(start);
	if (bytes) {
		pages_discard(start, start + bytes);
		mappings_clear(start, start + bytes);
	}
	lock_drop(&engine.translate_lock);
	if (bytes)
		alloc_unmapped(t, start, start + bytes);
	return r;
}

/* Values of madvise that are newer than the headers. */
#define DROP_LOCKED 24
#define PUT_GUARD   102

static bool has_own(uint64_t start, uint64_t end, struct own_memory *part)
{
	bool any;

	lock_take(&engine.translate_lock);
	any = is_range(start, end) && own_memory_in(start, end, part);
	lock_drop(&engine.translate_lock);
	return any;
}

/* madvise and msync: the kernel skips holes, and reports them at the end. */
static long advise(struct thread *t, long nr, const long a[6])
{
	uint64_t start = (uint64_t)a[0];
	const uint64_t end = start + round_up((uint64_t)a[1], PAGE);
	struct own_memory part;
	bool any = false;
	long r = 0;

	while ((r == 0 || r == -ENOMEM) && has_own(start, end, &part)) {
		/* with 0 bytes the kernel still checks the third argument */
		const long first[6] = {(long)start, (long)(part.start - start), a[2]};

		r = syscalls_pass(t, nr, first);
		start = part.end;
		any = true;
	}
	if (!any)
		return syscalls_pass(t, nr, a);
	if ((r == 0 || r == -ENOMEM) && start < end) {
		const long last[6] = {(long)start, (long)(end - start), a[2]};

		r = syscalls_pass(t, nr, last);
	}
	return r ? r : -ENOMEM;
}

long syscalls_msync(struct thread *t, long nr, const long a[6])
{
	return advise(t, nr, a);
}

/* mincore, mlock, mlock2, munlock: the kernel stops at the first hole, and reports it. */
long syscalls_until_hole(struct thread *t, long nr, const long a[6])
{
	/* locks begin and end at pages; the others refuse an address inside one */
	const uint64_t start = (uint64_t)a[0] & ~(nr == SYS_mincore ? 0 : PAGE - 1);
	const uint64_t end = round_up((uint64_t)a[0] + (uint64_t)a[1], PAGE);
	long part_only[6] = {(long)start, 0, a[2]}, r;
	struct own_memory part;

	if (!has_own(start, end, &part))
		return syscalls_pass(t, nr, a);
	part_only[1] = (long)(part.start - start);
	r = part_only[1] ? syscalls_pass(t, nr, part_only) : 0;
	return r ? r : sys3(nr, NOWHERE, PAGE, a[2]);
}

long syscalls_madvise(struct thread *t, long nr, const long a[6])
{
	uint64_t start = (uint64_t)a[0], end = start + round_up((uint64_t)a[1], PAGE);
	long r = advise(t, nr, a);

	/* dropped pages read as zeros, or as the file again; errors may come half-way */
	if ((r == 0 || r == -ENOMEM) && end > start &&
	    (a[2] == MADV_DONTNEED || a[2] == MADV_REMOVE || a[2] == MADV_FREE ||
	     a[2] == DROP_LOCKED || a[2] == PUT_GUARD)) {
		lock_take(&engine.translate_lock);
		if (cache_has_code(start, end))
			cache_invalidate(start, end);
		lock_drop(&engine.translate_lock);
	}
	return r;
}
