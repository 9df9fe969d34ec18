/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record of exact streams; a part of channel.h, which includes it. */
#ifndef DWELL_CHANNEL_STREAM_H
#define DWELL_CHANNEL_STREAM_H

#include "channel/channel.h"

/*
 * Accesses of one thread in program order: address << 16 | kind << 14 | min(size, 16383). Entries
 * of kind 0 are marks. A mark holds for the accesses after it, up to the next mark of its sort or
 * the end of the record. With STREAM_MARK_PC: the instruction, STREAM_PC(pc). With STREAM_MARK_SITE
 * and config.objects: the site of the block at the address, STREAM_SITE(site), see RECORD_SITE;
 * before the first mark it is 0 (no known block).
 */
struct record_stream {
	struct record_header h;
	uint32_t thread, count;
};

#define STREAM_ENTRY(address, kind, size) \
	((uint64_t)(address) << 16 | (uint64_t)(kind) << 14 | (uint64_t)(size))
#define STREAM_MARK_PC	  1u
#define STREAM_MARK_SITE  2u
#define STREAM_PC(pc)	  STREAM_ENTRY(pc, 0, 0)
#define STREAM_SITE(id)	  STREAM_ENTRY(id, 0, 1)
#define STREAM_ADDRESS(e) ((e) >> 16)
#define STREAM_KIND(e)	  ((unsigned)((e) >> 14) & 3u)
#define STREAM_SIZE(e)	  ((unsigned)(e)&0x3fffu)

#endif
