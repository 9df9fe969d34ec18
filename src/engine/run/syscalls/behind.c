/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes to code in system calls; see behind.h. */
#define _GNU_SOURCE
#include "engine/run/syscalls/behind.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "channel/sys.h"
#include "engine/codecache/cache.h"
#include "engine/codecache/pages.h"
#include "engine/core/lock.h"
#include "engine/core/proc.h"
#include "engine/core/util.h"
#include "engine/run/process.h"
#include "engine/run/syscalls/syscalls.h"
#include "engine/run/visits.h"

#define MOST_PARTS   1024 /* the kernel's limit */
#define WIPE_ON_FORK 18	  /* MADV_*, some newer than the headers */
#define KEEP_ON_FORK 19
#define FULL_ADDRESS (1ull << 47)

/* The effect of a call on memory, and its arguments. */
enum effect {
	NOTHING = 0,
	FILLS,	       /* args[1], args[2] bytes */
	FILLS_FIRST,   /* args[0], args[1] bytes */
	FILLS_PARTS,   /* args[1], args[2] struct iovec */
	FILLS_MESSAGE, /* args[1], a struct msghdr */
	FILLS_OTHERS,  /* args[3], args[4] struct iovec, of process args[0]; and the like */
	READS_OTHERS,  /* the same into args[1], args[2] */
	WRITES,	       /* descriptor args[0], at its position */
	WRITES_AT,     /* the same, at args[3] */
	OPENS,	       /* for writing, perhaps */
	CUTS,	       /* the file of descriptor args[0] */
	CUTS_NAMED,
	ADVISES,
	WRITES_LATER,
};

static const uint8_t effects[] = {
	[SYS_read] = FILLS,
	[SYS_pread64] = FILLS,
	[SYS_recvfrom] = FILLS,
	[SYS_getdents64] = FILLS,
	[SYS_getrandom] = FILLS_FIRST,
	[SYS_getcwd] = FILLS_FIRST,
	[SYS_readv] = FILLS_PARTS,
	[SYS_preadv] = FILLS_PARTS,
	[SYS_preadv2] = FILLS_PARTS,
	[SYS_vmsplice] = FILLS_PARTS,
	[SYS_recvmsg] = FILLS_MESSAGE,
	[SYS_process_vm_writev] = FILLS_OTHERS,
	[SYS_process_vm_readv] = READS_OTHERS,
	[SYS_write] = WRITES,
	[SYS_writev] = WRITES,
	[SYS_pwrite64] = WRITES_AT,
	[SYS_pwritev] = WRITES_AT,
	[SYS_pwritev2] = WRITES_AT,
	[SYS_open] = OPENS,
	[SYS_openat] = OPENS,
	[SYS_openat2] = OPENS,
	[SYS_creat] = OPENS,
	[SYS_memfd_create] = OPENS,
	[SYS_ftruncate] = CUTS,
	[SYS_fallocate] = CUTS,
	[SYS_truncate] = CUTS_NAMED,
	[SYS_madvise] = ADVISES,
	[SYS_io_uring_setup] = WRITES_LATER,
	[SYS_io_setup] = WRITES_LATER,
};

static enum effect effect_of(long nr)
{
	return (uint64_t)nr < sizeof effects ? (enum effect)effects[nr] : NOTHING;
}

uint64_t behind_id_of_file(long fd)
{
	struct stat st;

	if (sys_failed(sys2(SYS_fstat, fd, &st)) || !S_ISREG(st.st_mode))
		return 0;
	return ((uint64_t)st.st_dev * 0x9e3779b97f4a7c15ull ^ (uint64_t)st.st_ino) | 1ull << 63;
}

/* ---- Buffers ---- */

/* The kernel is about to write there: remove the write protection of code pages. */
static void open_range(uint64_t start, uint64_t bytes)
{
	uint64_t end = start + bytes;

	if (end <= start || end > FULL_ADDRESS)
		return;
	lock_take(&engine.translate_lock);
	pages_leave_open(start, end);
	lock_drop(&engine.translate_lock);
}

static void open_parts(uint64_t at, uint64_t n)
{
	struct iovec part;

	for (uint64_t i = 0; i < n && i < MOST_PARTS; i++) {
		if (engine_copy(&part, (const void *)(uintptr_t)(at + i * sizeof part),
				sizeof part) != 0)
			return;
		open_range((uint64_t)(uintptr_t)part.iov_base, part.iov_len);
	}
}

static void open_message(uint64_t at)
{
	struct msghdr m;

	if (engine_copy(&m, (const void *)(uintptr_t)at, sizeof m) != 0)
		return;
	open_parts((uint64_t)(uintptr_t)m.msg_iov, m.msg_iovlen);
	open_range((uint64_t)(uintptr_t)m.msg_control, m.msg_controllen);
	open_range((uint64_t)(uintptr_t)m.msg_name, m.msg_namelen);
}

/* ---- Files ---- */

/*
 * Was a /proc/PID/mem opened for writing, by any name? And was that before the fork that made this
 * process? Then a descriptor of /proc/self/mem refers to another process.
 */
static bool has_mem, has_inherited_mem;

/* The newest files open for writing. An entry is void if its descriptor is another file now. */
static struct {
	int fd;
	uint64_t id;
} written[64];
static uint32_t written_count;

static void note_written(long fd, uint64_t id)
{
	const uint32_t n = __atomic_fetch_add(&written_count, 1, __ATOMIC_RELAXED);

	written[n % 64].fd = (int)fd;
	written[n % 64].id = id;
	lock_take(&engine.translate_lock);
	mappings_may_change(id);
	lock_drop(&engine.translate_lock);
}

static bool is_open_for_writing(uint64_t id)
{
	for (uint32_t i = 0; i < 64; i++)
		if (written[i].id == id && behind_id_of_file(written[i].fd) == id)
			return true;
	return false;
}

static bool is_writable(long fd)
{
	const long flags = sys3(SYS_fcntl, fd, F_GETFL, 0);

	return !sys_failed(flags) && (flags & O_ACCMODE) != O_RDONLY;
}

bool behind_may_change(long fd, uint64_t id)
{
	return id && (is_writable(fd) || is_open_for_writing(id));
}

/*
 * The process whose memory this is: the number in the name .../PID/mem or .../PID/task/TID/mem; for
 * a thread of this process the process's. 0: none. A file of that name outside of /proc counts,
 * too, which does no harm.
 */
static uint64_t owner_of_mem(const struct thread *t, long fd)
{
	char path[PROC_PATH_BYTES];
	const long n = proc_name_of_fd(fd, path, sizeof path);
	uint64_t process, number = 0;
	long at = n - 4;
	const char *p;

	if (n <= 4 || memcmp(path + at, "/mem", 4) != 0)
		return 0;
	while (at > 0 && path[at - 1] != '/')
		at--;
	text_decimal(path + at, &number);
	p = text_behind(path, "/proc/");
	p = p ? text_behind(text_decimal(p, &process), "/task/") : 0;
	if (p && process == t->process->pid)
		return process;
	return number;
}

/* The open flags of a call that opens. */
static uint64_t flags_of(long nr, const long args[6])
{
	uint64_t flags = 0; /* of openat2: the first field of its struct */

	if (nr == SYS_creat || nr == SYS_memfd_create)
		return O_RDWR;
	if (nr == SYS_openat2)
		return engine_copy(&flags, (const void *)args[2], sizeof flags) == 0 ? flags : 0;
	return (uint64_t)args[nr == SYS_open ? 1 : 2];
}

static void opened(const struct thread *t, long fd, uint64_t flags)
{
	uint64_t id, owner;

	if ((flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH))
		return;
	id = behind_id_of_file(fd);
	if (id)
		note_written(fd, id);
	owner = owner_of_mem(t, fd);
	has_mem |= owner != 0;
	if (owner)
		visits_ask_all(t, owner);
}

/* Code at these addresses has changed. */
static void changed(uint64_t start, uint64_t end)
{
	lock_take(&engine.translate_lock);
	if (end > start && end <= FULL_ADDRESS)
		cache_invalidate(start, end);
	lock_drop(&engine.translate_lock);
}

/* `bytes` were written; the descriptor's position is behind them. */
static void written_to(const struct thread *t, const long args[6], bool at_offset, uint64_t bytes)
{
	uint64_t start = (uint64_t)args[3];

	if (owner_of_mem(t, args[0]) != t->process->pid)
		return;
	if (!at_offset || args[3] == -1)
		start = (uint64_t)sys3(SYS_lseek, args[0], 0, SEEK_CUR) - bytes;
	changed(start, start + bytes);
}

static void cut(uint64_t id)
{
	lock_take(&engine.translate_lock);
	if (id)
		mappings_may_change(id);
	lock_drop(&engine.translate_lock);
}

static void cut_named(const char *path)
{
	const long fd = sys4(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC, 0);

	if (sys_failed(fd))
		return;
	cut(behind_id_of_file(fd));
	sys1(SYS_close, fd);
}

/* ---- What a forked child does not get ---- */

#define MOST_LEFT_OUT 128u

static struct {
	uint64_t start, end;
	bool is_wiped; /* reads as zeros; else not mapped */
} left_out[MOST_LEFT_OUT];
static uint32_t left_out_count;

static void leave_out(uint64_t start, uint64_t end, bool is_wiped)
{
	lock_take(&engine.translate_lock);
	if (left_out_count < MOST_LEFT_OUT) {
		left_out[left_out_count].start = start;
		left_out[left_out_count].end = end;
		left_out[left_out_count++].is_wiped = is_wiped;
	}
	lock_drop(&engine.translate_lock);
}

static void advised(uint64_t start, uint64_t bytes, long advice)
{
	const uint64_t end = start + round_up(bytes, PAGE);

	if (end <= start)
		return;
	if (advice == MADV_DONTFORK || advice == WIPE_ON_FORK)
		leave_out(start, end, advice == WIPE_ON_FORK);
}

/* Drops code only. Memory that the child has after all is translated again. */
void behind_forked(void)
{
	has_inherited_mem |= has_mem;
	for (uint32_t i = 0; i < left_out_count; i++)
		cache_invalidate(left_out[i].start, left_out[i].end);
}

/* ---- Calls ---- */

static void before_filling(enum effect e, const long args[6])
{
	switch (e) {
	case FILLS:
		open_range((uint64_t)args[1], (uint64_t)args[2]);
		break;
	case FILLS_FIRST:
		open_range((uint64_t)args[0], (uint64_t)args[1]);
		break;
	case FILLS_PARTS:
	case READS_OTHERS:
		open_parts((uint64_t)args[1], (uint64_t)args[2]);
		break;
	case FILLS_MESSAGE:
		open_message((uint64_t)args[1]);
		break;
	case FILLS_OTHERS: /* of another process; if the addresses are ours, too, no harm is done */
		open_parts((uint64_t)args[3], (uint64_t)args[4]);
		break;
	default:
		break;
	}
}

static void before_writing(const struct thread *t, long fd)
{
	const uint64_t owner = owner_of_mem(t, fd);

	if (owner)
		visits_ask_all(t, owner);
}

void behind_before_call(struct thread *t, long nr, const long args[6])
{
	const enum effect e = effect_of(nr);

	if (e >= FILLS && e <= READS_OTHERS && pages_are_protected())
		before_filling(e, args);
	else if ((e == WRITES || e == WRITES_AT) && has_inherited_mem)
		before_writing(t, args[0]);
}

void behind_after_call(struct thread *t, long nr, const long args[6], long result)
{
	const enum effect e = effect_of(nr);

	if (e < WRITES || result < 0)
		return;
	switch (e) {
	case WRITES:
	case WRITES_AT:
		if (has_mem && result > 0)
			written_to(t, args, e == WRITES_AT, (uint64_t)result);
		break;
	case OPENS:
		opened(t, result, flags_of(nr, args));
		break;
	case CUTS:
		cut(behind_id_of_file(args[0]));
		break;
	case CUTS_NAMED:
		cut_named((const char *)args[0]);
		break;
	case ADVISES:
		advised((uint64_t)args[0], (uint64_t)args[1], args[2]);
		break;
	case WRITES_LATER:
		lock_take(&engine.translate_lock);
		pages_protect_no_more();
		lock_drop(&engine.translate_lock);
		break;
	default:
		break;
	}
}
