/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of tallies and the calls to threads; see poll.h. */
#define _GNU_SOURCE
#include "engine/codecache/poll.h"

#include <errno.h>
#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/core/addresses.h"
#include "engine/core/lanes.h"
#include "engine/core/lock.h"
#include "engine/core/program_limits.h"
#include "engine/core/util.h"

#define ENTRY_BYTES   32u
#define ENTRIES	      (TALLY_TABLE_BYTES / ENTRY_BYTES)
#define HASH_SIZE     (2 * ENTRIES)
#define BLOCK_TALLIES 256u /* more than any one block needs */

/* The translate lock guards it. */
static struct {
	uint64_t (*entry)[4];
	uint32_t used, most;
	uint16_t hash[HASH_SIZE]; /* number of an entry + 1, 0 empty */
} table;

int poll_init(uint64_t most)
{
	table.most = most < ENTRIES ? (uint32_t)most : ENTRIES;
	/* low, because code addresses some tallies by 32 bits */
	table.entry = addresses_map_low(TALLY_TABLE_BYTES, PAGE, MAP_SHARED);
	return table.entry ? 0 : -1;
}

static uint64_t shown_at(const struct thread *t)
{
	return (uint64_t)(uintptr_t)t + T_TALLIES;
}

static bool copies; /* some thread has a copy; atomic */

/* Copy the table's entries so far. False: the thread was called meanwhile. */
static bool copy_table(struct thread *t)
{
	__atomic_store_n(&copies, true, __ATOMIC_SEQ_CST);
	return engine_copy_own((void *)(uintptr_t)shown_at(t), table.entry,
			       __atomic_load_n(&table.used, __ATOMIC_SEQ_CST) *
				       (uint64_t)ENTRY_BYTES) == 0;
}

/*
 * Add the new entry i to all copies. The copy of a called thread is not writable; that thread
 * copies the whole table when it answers.
 */
static void copy_entry(uint32_t i)
{
	if (!__atomic_load_n(&copies, __ATOMIC_SEQ_CST))
		return;
	lock_take(&engine.world_lock);
	for (struct thread *t = engine.threads; t; t = t->next_thread)
		if (t->has_copy)
			engine_copy_own(
				(void *)(uintptr_t)(shown_at(t) + i * (uint64_t)ENTRY_BYTES),
				table.entry[i], ENTRY_BYTES);
	lock_drop(&engine.world_lock);
}

/* An old size of 0 maps the same pages once more. */
static long show_table(const struct thread *t)
{
	return sys5(SYS_mremap, table.entry, 0, TALLY_TABLE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
		    shown_at(t));
}

int poll_map(struct thread *t)
{
	long p = show_table(t);

	if (p == -ENOMEM && program_limits_make_room(TALLY_TABLE_BYTES))
		p = show_table(t);
	if (sys_failed(p))
		return -1;
	sys3(SYS_mprotect, shown_at(t), TALLY_TABLE_BYTES, PROT_READ);
	return 0;
}

static long map_table(void)
{
	return sys6(SYS_mmap, 0, TALLY_TABLE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

int poll_forked(struct thread *t)
{
	long p = map_table();

	if (p == -ENOMEM && program_limits_make_room(TALLY_TABLE_BYTES))
		p = map_table();
	if (sys_failed(p))
		return -1;
	memcpy((void *)p, table.entry, table.used * ENTRY_BYTES);
	/* Code refers to the address of the parent's table. */
	p = sys5(SYS_mremap, p, TALLY_TABLE_BYTES, TALLY_TABLE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
		 table.entry);
	return sys_failed(p) ? -1 : t->has_copy ? 0 : poll_map(t);
}

uint32_t poll_tally(const uint64_t lane[4])
{
	uint64_t key = lane[0] ^ lane[1] << 16 ^ lane[2] << 24 ^ lane[3] << 48;
	uint32_t h = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 40) % HASH_SIZE;

	for (; table.hash[h]; h = (h + 1) % HASH_SIZE)
		if (memcmp(table.entry[table.hash[h] - 1], lane, ENTRY_BYTES) == 0)
			return T_TALLIES + (table.hash[h] - 1u) * ENTRY_BYTES;
	if (table.used == table.most)
		return 0;
	memcpy(table.entry[table.used], lane, ENTRY_BYTES);
	__atomic_store_n(&table.used, table.used + 1, __ATOMIC_SEQ_CST);
	table.hash[h] = (uint16_t)table.used;
	copy_entry(table.used - 1);
	return T_TALLIES + (table.used - 1) * ENTRY_BYTES;
}

uint32_t poll_address(uint32_t tally)
{
	return (uint32_t)(uintptr_t)table.entry + tally - T_TALLIES;
}

bool poll_emit_difference(struct out *o, struct deferred here, struct deferred there)
{
	uint64_t lane[4] = {here.accesses - (uint64_t)there.accesses,
			    here.loads - (uint64_t)there.loads,
			    here.stores - (uint64_t)there.stores,
			    here.instructions - (uint64_t)there.instructions};
	uint32_t tally, address;

	if (engine_vector_counter != COUNTER_YMM31)
		lanes_pack(lane);
	tally = poll_tally(lane);
	if (!tally)
		return false;
	address = poll_address(tally);
	if (engine_vector_counter == COUNTER_YMM31)
		emit_add_counts_at(o, address);
	else if (engine_vector_counter == COUNTER_XMM15)
		emit_add_packed_at(o, address);
	else
		emit_add_sse_at(o, 15, address);
	return true;
}

bool poll_is_crowded(void)
{
	return table.used > table.most / 2;
}

bool poll_has_room(void)
{
	return table.used + BLOCK_TALLIES <= table.most;
}

void poll_reset(void)
{
	memset(table.hash, 0, sizeof table.hash);
	table.used = 0;
}

/*
 * The caller sets `called` before it reads in_cache; the thread that enters sets
 * in_cache before it reads `called`: one of them sees the other.
 */
void poll_call(struct thread *t)
{
	__atomic_store_n(&t->called, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&t->in_cache, __ATOMIC_SEQ_CST))
		return;
	__atomic_store_n(&t->hidden, true, __ATOMIC_SEQ_CST);
	sys3(SYS_mprotect, shown_at(t), TALLY_TABLE_BYTES, PROT_NONE);
}

void poll_answer(struct thread *t)
{
	/* A caller that hides the table only after this makes the thread come once more. */
	while (__atomic_exchange_n(&t->hidden, false, __ATOMIC_SEQ_CST)) {
		sys3(SYS_mprotect, shown_at(t), TALLY_TABLE_BYTES,
		     t->has_copy ? PROT_READ | PROT_WRITE : PROT_READ);
		if (t->has_copy && !copy_table(t))
			t->hidden = true;
	}
	__atomic_store_n(&t->called, 0, __ATOMIC_SEQ_CST);
}

bool poll_covers(const struct thread *t, uint64_t address)
{
	return address - shown_at(t) < TALLY_TABLE_BYTES;
}
