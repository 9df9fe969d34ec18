/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slots of the channel; see slots.h. */
#include "engine/core/slots.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/core/util.h"

struct channel_slot slots_look(const struct process *p, uint32_t index)
{
	struct channel_slot slot = {.state = CHANNEL_SLOT_FREE};

	sys4(SYS_pread64, p->channel_fd, &slot, offsetof(struct channel_slot, reported),
	     CHANNEL_HEADER_BYTES + index * engine.slot_bytes);
	return slot;
}

bool slots_map(struct process *p, uint32_t index)
{
	struct channel_slot *old = p->ring.slot;
	long at = sys6(SYS_mmap, old, engine.slot_bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | (old ? MAP_FIXED : 0), p->channel_fd,
		       CHANNEL_HEADER_BYTES + index * engine.slot_bytes);

	if (sys_failed(at))
		return false;
	engine_has_mapped();
	ring_of_slot(&p->ring, (uint8_t *)at - CHANNEL_HEADER_BYTES, engine.slot_bytes,
		     engine.ring_bytes, 0);
	return true;
}

bool slots_map_of(struct process *p, uint32_t pid)
{
	for (uint32_t i = 0; i < engine.slot_count; i++) {
		struct channel_slot slot = slots_look(p, i);

		if (slot.state == CHANNEL_SLOT_LIVE && slot.pid == pid && slot.order == p->order) {
			p->slot = i;
			return slots_map(p, i);
		}
	}
	return false;
}

void slots_unmap(struct process *p)
{
	sys2(SYS_munmap, p->ring.slot, engine.slot_bytes);
	p->ring.slot = 0;
}

static void set_lock(const struct process *p, short type)
{
	struct flock lock = {.l_type = type, .l_whence = 0, .l_start = p->slot, .l_len = 1};

	sys3(SYS_fcntl, p->channel_fd, F_SETLK, &lock);
}

void slots_lock(const struct process *p)
{
	set_lock(p, F_WRLCK);
}

void slots_unlock(const struct process *p)
{
	set_lock(p, F_UNLCK);
}
