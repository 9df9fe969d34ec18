/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Beginnings and ends of processes; see process.h. */
#include "engine/run/process.h"
#include "engine/simulate/mode/graph_changes.h"

#include "channel/sys.h"
#include "engine/codecache/cache.h"
#include "engine/codecache/pages.h"
#include "engine/core/lock.h"
#include "engine/core/publish.h"
#include "engine/core/records.h"
#include "engine/core/slots.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/drive/buffers.h"
#include "engine/drive/collect.h"
#include "engine/drive/control.h"
#include "engine/drive/marks.h"
#include "engine/run/dispatch.h"
#include "engine/run/held.h"
#include "engine/run/syscalls/behind.h"
#include "engine/run/threads.h"
#include "engine/sample/footprint.h"
#include "engine/sample/watch_sets.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/replay/replay.h"
#include "engine/translate/world.h"
#include "engine/unwind/modules.h"
#include "engine/unwind/paths.h"

#define MAX_MODULES 4096u

struct module {
	uint64_t start, end, offset;
	const char *path; /* never freed */
	struct module_file file;
};

static struct module modules[MAX_MODULES];
static uint32_t module_count;
static uint32_t module_lock;
static struct grow names;

static const char *keep_name(const char *s)
{
	uint32_t n = 0;
	char *p;

	for (uint32_t i = 0; i < module_count; i++) {
		uint32_t k = 0;

		while (s[k] && modules[i].path[k] == s[k])
			k++;
		if (s[k] == 0 && modules[i].path[k] == 0)
			return modules[i].path;
	}
	while (s[n])
		n++;
	if (!names.base && grow_init(&names, 4u << 20) != 0)
		return "";
	p = grow_take(&names, n + 1);
	if (!p)
		return "";
	memcpy(p, s, n + 1);
	return p;
}

void process_add_module(struct process *p, uint64_t start, uint64_t end, uint64_t offset,
			const char *path, int fd)
{
	const struct module_file file = module_file_of(fd);

	if (p->borrowed_memory)
		return;
	lock_take(&module_lock);
	if (module_count < MAX_MODULES) {
		const char *kept = keep_name(path);

		modules[module_count++] = (struct module){start, end, offset, kept, file};
	}
	lock_drop(&module_lock);
	records_module(p, start, end, offset, path, &file);
	marks_module(start, end, offset, path);
}

void process_remove_module(struct process *p, uint64_t start, uint64_t end)
{
	bool any = false;

	modules_remove(start, end);
	lock_take(&module_lock);
	for (uint32_t i = 0; i < module_count; i++)
		if (modules[i].start < end && modules[i].end > start) {
			modules[i--] = modules[--module_count];
			any = true;
		}
	lock_drop(&module_lock);
	if (!any)
		return;
	graph_forget(p, start, end);
	records_unmap(p, start, end);
}

bool process_has_module(uint64_t device, uint64_t inode)
{
	bool has = false;

	lock_take(&module_lock);
	for (uint32_t i = 0; i < module_count && !has; i++)
		has = modules[i].file.device == device && modules[i].file.inode == inode;
	lock_drop(&module_lock);
	return has;
}

void process_replace_modules(struct process *p, uint64_t start, uint64_t end)
{
	uint64_t from = 0, to = 0;

	lock_take(&module_lock);
	for (uint32_t i = 0; i < module_count && !to; i++)
		if (modules[i].start >= start && modules[i].end <= end) {
			from = modules[i].start;
			to = modules[i].end;
		}
	lock_drop(&module_lock);
	if (to) {
		process_remove_module(p, from, to);
		process_replace_modules(p, start, end);
	}
}

static void send_modules(struct process *p)
{
	for (uint32_t i = 0; i < module_count; i++)
		records_module(p, modules[i].start, modules[i].end, modules[i].offset,
			       modules[i].path, &modules[i].file);
}

void process_begin(struct thread *t, char *const argv[], uint32_t parent, uint32_t cause)
{
	struct process *p = t->process;

	p->pid = (uint32_t)sys0(SYS_getpid);
	if (records_claim(p, parent))
		records_process(p, p->exe, argv, parent, cause);
	control_start();
	collect_start(t);
	collect_thread_start(t);
}

static const struct counts nothing;

/*
 * Stop the threads outside of the code cache, as far as they come in time, and collect their
 * counts.
 */
static void settle_all(struct thread *t, uint32_t patience_ms)
{
	world_stop(t, patience_ms);
	for (struct thread *o = engine.threads; o; o = o->next_thread) {
		if (o->process != t->process || __atomic_load_n(&o->in_cache, __ATOMIC_SEQ_CST))
			continue;
		if (o->variant == VARIANT_STREAM)
			collect_flush(o, o->resuming ? &o->resume_after : &nothing);
		else
			publish_counts(o, o->resuming ? &o->resume_after : &nothing);
	}
}

bool process_is_of(const struct thread *t)
{
	return !t->process->borrowed_memory && t->pid == t->process->pid;
}

void process_ending(struct thread *t, uint32_t cause, uint32_t status)
{
	struct process *p = t->process;
	uint64_t footprint;

	if (!p->profiling || !process_is_of(t))
		return;
	settle_all(t, 20);
	if (!p->profiling) { /* another thread was first */
		world_release();
		return;
	}
	collect_end(t, true);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->process == p)
			records_thread(p, o);
	footprint = footprint_count(t);
	alloc_report(p);
	records_end(p, cause, status, footprint);
	control_end();
	/* if the default action does not kill after all, threads continue unprofiled */
	world_release();
}

void process_before_exec(struct thread *t)
{
	if (!t->process->profiling || !process_is_of(t))
		return;
	settle_all(t, 20);
	collect_end(t, false);
	alloc_report(t->process);
	records_counters(t->process);
}

void process_after_failed_exec(struct thread *t)
{
	if (!t->process->profiling || !process_is_of(t))
		return;
	world_release();
}

void process_end_predecessor(uint32_t order, uint32_t pid)
{
	struct process old = {
		.profiling = true, .order = order, .channel_fd = engine.first.channel_fd};
	struct channel_counters c;

	if (!slots_map_of(&old, pid))
		return;
	c = old.ring.slot->counters;
	old.total = (struct counts){c.accesses, c.loads, c.stores, c.instructions};
	old.extra = (struct extra_counts){c.rep_iterations, c.vector_elements, c.translate_cycles,
					  c.scan_cycles, c.watch_accesses};
	records_end(&old, END_EXEC, 0, 0);
	slots_unmap(&old);
}

void process_forked(struct thread *t)
{
	struct process *p = t->process;
	uint32_t parent = p->profiling ? p->order : UINT32_MAX;

	threads_forked(t);
	buffers_forked();
	watch_sets_forked();
	behind_forked();
	alloc_forked();
	paths_forked();
	replay_forked();
	graph_forked(t);
	module_lock = 0;
	p->ring_lock = 0;
	p->action_lock = 0;
	held_none(&p->held_signals);
	held_none(&t->held_signals);
	p->profiling = false;
	p->total = (struct counts){0};
	p->extra = (struct extra_counts){0};
	p->counting_ns = p->sampling_ns = p->translate_ns = 0;
	p->data_until = p->data_until > 0; /* then from its beginning */
	p->thread_count = 1;
	t->index = 0;
	p->pid = (uint32_t)sys0(SYS_getpid);
	if (records_claim(p, parent)) {
		char *argv[] = {0};

		records_process(p, p->exe, argv, parent, 1);
		send_modules(p);
	}
	collect_start(t);
	collect_thread_start(t);
}
