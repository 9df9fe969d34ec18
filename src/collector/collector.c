/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run, from the command line to the finished profile. Each part of it has its own file. */
#include "collector/collector.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/heap.h"
#include "base/text.h"
#include "collector/dump.h"
#include "collector/meta.h"
#include "collector/recorder.h"
#include "collector/target/control_socket.h"
#include "collector/target/machine.h"
#include "collector/target/outcome.h"
#include "collector/target/target.h"

#define MS		   ((uint64_t)1000000)
#define DEFAULT_SLOTS	   512
#define DEFAULT_RING_BYTES ((uint64_t)4 << 20)

/*
 * Engines wake the collector when a quarter of a ring is full. These waits only bound how stale a
 * view can be.
 */
#define MIN_WAIT_NS (1 * MS)
#define MAX_WAIT_NS (100 * MS)
#define CHECK_NS    (250 * MS) /* between checks for dead processes */
#define COMMIT_NS   (500 * MS) /* the most that is lost if the collector dies */
#define PROGRESS_NS (500 * MS)
/* Time for the command's descendants to end after it, so that they count as ended. */
#define GRACE_NS (100 * MS)
/* Time for processes to close their windows. Sleeping ones do not notice the request. */
#define STOP_GRACE_NS (300 * MS)

/* Warnings shown about distrusted processes; the profile has all of them. */
#define MOST_REFUSALS 10

struct run {
	const struct collector_options *o;
	struct collector_result *result;
	struct target target;
	int engine_fd;
	struct host host;
	struct slots slots;
	struct store *store;
	struct recorder *recorder;
	struct control control;
	struct dump dump;
	char *output;	   /* absolute file name of the profile, for other processes */
	bool has_begun;	   /* the command was started: the profile stays from now on */
	bool has_failed;   /* the profile can no longer be written */
	bool has_noticed;  /* the first message of a process was shown */
	uint64_t refusals; /* distrusted processes */
	uint64_t start_ns, start_cycles;
	uint64_t end_ns;	/* end of the command, or of profiling */
	uint64_t live_cpu_ns;	/* CPU time of the processes that still ran at end_ns */
	uint64_t parent_cpu_ns; /* set in a child that writes a dump */
	uint64_t checked_ns, committed_ns, progressed_ns;
};

/* ---- Events of the slots, to the sink and the recorder ---- */

static const char *on_record(void *context, uint32_t order, const struct record_header *h)
{
	struct run *r = context;
	const struct record_process *p = (const void *)h;

	/* A forked child inherits its parent's modules: read the parent's records first. */
	if (h->type == RECORD_PROCESS && p->cause == 1)
		slots_drain_process(&r->slots, p->parent);
	if (r->o->sink.on_record != NULL)
		r->o->sink.on_record(r->o->sink.context, order, h);
	return r->recorder != NULL ? recorder_record(r->recorder, order, h) : NULL;
}

static void on_gone(void *context, uint32_t order, enum slot_farewell how, const char *why,
		    const struct slot_counts *counts)
{
	struct run *r = context;
	const char *line =
		r->recorder != NULL ? recorder_gone(r->recorder, order, how, why, counts) : NULL;

	if (line != NULL && r->o->warning != NULL && r->refusals++ < MOST_REFUSALS)
		r->o->warning(r->o->context, line);
}

static void on_counts(void *context, uint32_t order, const struct slot_counts *counts)
{
	struct run *r = context;

	if (r->recorder != NULL)
		recorder_counts(r->recorder, order, counts);
}

static void notice(struct run *r, const char *line)
{
	if (r->o->notice != NULL)
		r->o->notice(r->o->context, line);
}

/* As soon as it comes: it may say that the run will take long. */
static void notice_first_message(struct run *r)
{
	const char *line = r->recorder != NULL ? recorder_first_message(r->recorder) : NULL;

	if (line != NULL && !r->has_noticed)
		notice(r, line);
	r->has_noticed |= line != NULL;
}

/* Tell the user by the options' warning or note, and in the profile, too. */
static void tell(struct run *r, void (*how)(void *context, const char *line), const char *line)
{
	if (how != NULL)
		how(r->o->context, line);
	if (r->recorder != NULL)
		recorder_message(r->recorder, line);
}

/* ---- The profile's table meta: values known at the end ---- */

static bool was_killed(const struct run *r)
{
	return r->result->has_run && WIFSIGNALED(r->result->wait_status);
}

static int put_end(struct run *r, struct err *err)
{
	uint64_t elapsed_ns = clock_now_ns() - r->start_ns;
	uint64_t cycles = machine_cycles() - r->start_cycles;
	uint64_t ended_ns, naming_ns = recorder_naming_cpu_ns(r->recorder, &ended_ns);
	struct meta_end end = {
		.wall_ns = r->end_ns - r->start_ns,
		.target_cpu_ns = clock_child_cpu_ns() - r->dump.cpu_ns - ended_ns + r->live_cpu_ns,
		.collector_cpu_ns =
			clock_self_cpu_ns() + r->dump.cpu_ns + naming_ns + r->parent_cpu_ns,
		.has_budget = r->o->config.overhead_ppm != 0,
	};

	if (elapsed_ns > 0)
		end.tsc_hz = (uint64_t)((double)cycles * 1e9 / (double)elapsed_ns);
	if (meta_put_end(r->store, r->result, &end, err) != 0)
		return -1;
	return store_finish(r->store, err);
}

/* ---- While the target runs ---- */

/*
 * Once the profile cannot be written, profiling is useless overhead: let the targets run without
 * it.
 */
static void check_failure(struct run *r)
{
	const struct err *failure = r->recorder != NULL ? recorder_failed(r->recorder) : NULL;
	struct text line = {0};

	if (r->has_failed || failure == NULL)
		return;
	r->has_failed = true;
	host_stop_engines(&r->host);
	/* Warn now: the end of the run may be days away. */
	text_addf(&line, "profiling ends here: %s; the command runs on", failure->text);
	if (r->o->warning != NULL)
		r->o->warning(r->o->context, text_get(&line));
	text_release(&line);
}

static void commit(struct run *r, uint64_t now)
{
	struct err ignored;

	if (r->store == NULL || r->has_failed || now - r->committed_ns < COMMIT_NS)
		return;
	r->committed_ns = now;
	/* The store remembers a failure; the recorder gets it at its next put. */
	store_commit(r->store, &ignored);
}

static void show_progress(struct run *r, uint64_t now)
{
	struct collector_progress p = {.elapsed_ns = now - r->start_ns};
	struct recorder_totals t;

	if (r->o->progress == NULL || r->recorder == NULL || now - r->progressed_ns < PROGRESS_NS)
		return;
	r->progressed_ns = now;
	t = recorder_totals(r->recorder);
	p.processes = t.processes;
	p.accesses = t.accesses;
	p.samples = t.samples;
	p.windows = t.windows;
	r->o->progress(r->o->context, &p);
}

static void do_chores(struct run *r)
{
	uint64_t now = clock_now_ns();

	if (now - r->checked_ns >= CHECK_NS) {
		r->checked_ns = now;
		slots_check(&r->slots);
	}
	if (r->recorder != NULL)
		recorder_step(r->recorder, now);
	check_failure(r);
	commit(r, now);
	show_progress(r, now);
}

/*
 * With exact streams engines wait while a ring is full, so drain again at once. Otherwise the rings
 * hold seconds of samples, and sleeping is cheaper.
 */
static uint64_t next_wait(const struct run *r, uint64_t wait_ns, uint64_t taken)
{
	if (r->o->config.mode == CHANNEL_MODE_STREAM && taken > 0)
		return 0;
	if (wait_ns < MIN_WAIT_NS)
		return MIN_WAIT_NS;
	/* Grow slowly: names must be looked up while a short program still runs. */
	wait_ns += wait_ns / 4;
	return wait_ns < MAX_WAIT_NS ? wait_ns : MAX_WAIT_NS;
}

static const char *output_of(const struct run *r)
{
	return r->output != NULL ? r->output : "";
}

static bool has_process(void *context, uint32_t pid)
{
	struct run *r = context;

	return pid == (uint32_t)r->target.pid || slots_have(&r->slots, pid);
}

/* Answer callers that want to know the profile's file, or to end profiling. */
static void answer_control(struct run *r)
{
	if (!control_serve(&r->control, has_process, r, output_of(r)))
		return;
	r->result->was_stopped = true;
	notice(r, "profiling ends here, as 'dwell stop' asked; the command runs on");
}

/* Complete the profile of a run in progress, with its current numbers. Called in a child. */
static int finish_dump(void *context, struct err *err)
{
	struct run *r = context;

	r->end_ns = clock_now_ns();
	return put_end(r, err);
}

static struct dump_run dump_run_of(struct run *r)
{
	return (struct dump_run){
		.host = &r->host,
		.slots = &r->slots,
		.recorder = r->recorder,
		.store = r->store,
		.control = &r->control,
		.context = r,
		.finish = finish_dump,
	};
}

static void dump(struct run *r)
{
	struct dump_run parts = dump_run_of(r);

	if (control_dump_file(&r->control) == NULL)
		return;
	r->live_cpu_ns = slots_cpu_ns(&r->slots);
	r->parent_cpu_ns = clock_self_cpu_ns();
	dump_step(&r->dump, &parts, clock_now_ns());
	r->parent_cpu_ns = 0;
}

/* Complete pending dumps before the command, or profiling, ends. */
static void end_dump(struct run *r)
{
	struct dump_run parts = dump_run_of(r);

	dump_end(&r->dump, &parts);
}

/* Collect until the command ends, or profiling is to end. */
static void follow_target(struct run *r)
{
	uint64_t wait_ns = 0;

	for (;;) {
		uint32_t count = host_wake_count(&r->host);
		uint64_t taken = slots_drain(&r->slots);

		host_has_read(&r->host, count);
		notice_first_message(r);
		do_chores(r);
		r->result->has_run = target_ended(&r->target, false, &r->result->wait_status);
		if (r->result->has_run)
			break;
		answer_control(r);
		if (r->result->was_stopped)
			break;
		dump(r);
		wait_ns = next_wait(r, wait_ns, taken);
		if (wait_ns > 0)
			host_wait(&r->host, count, wait_ns);
	}
	r->end_ns = clock_now_ns();
}

/* Tell the user that the profile of a server in the background holds only its start. */
static void tell_left_behind(struct run *r)
{
	uint64_t left = slots_live(&r->slots);
	struct text line = {0};

	if (left == 0 || r->result->was_stopped)
		return;
	text_addf(&line,
		  "the command ended, and %" PRIu64
		  " of its processes ran on unprofiled: a server must stay in the foreground",
		  left);
	notice(r, text_get(&line));
	text_release(&line);
}

/* The command has ended: drain the rings, and detach the processes that still run. */
static void finish_slots(struct run *r)
{
	uint64_t deadline = clock_now_ns() + (r->result->was_stopped ? STOP_GRACE_NS : GRACE_NS);

	r->live_cpu_ns = slots_cpu_ns(&r->slots);
	if (r->result->was_stopped)
		host_finish_engines(&r->host);

	for (;;) {
		while (slots_drain(&r->slots) > 0)
			;
		slots_check(&r->slots);
		if (slots_live(&r->slots) == 0 || clock_now_ns() > deadline)
			break;
		host_wait(&r->host, host_wake_count(&r->host), 5 * MS);
	}
	tell_left_behind(r);
	host_say_goodbye(&r->host);
	slots_finish(&r->slots);
	r->result->lost_processes =
		__atomic_load_n(&r->host.header->lost_processes, __ATOMIC_RELAXED);
	r->result->native_programs =
		__atomic_load_n(&r->host.header->native_programs, __ATOMIC_RELAXED);
}

/* Wait for the command if profiling ended first, and answer later callers. */
static void wait_for_command(struct run *r)
{
	while (!r->result->has_run) {
		uint32_t count = host_wake_count(&r->host);

		r->result->has_run = target_ended(&r->target, false, &r->result->wait_status);
		control_serve(&r->control, has_process, r, output_of(r));
		if (!r->result->has_run)
			host_wait(&r->host, count, MAX_WAIT_NS);
	}
}

/* ---- The parts of a run, in order ---- */

static int fail(struct run *r, enum collector_failure failure)
{
	r->result->failure = failure;
	return -1;
}

static int prepare(struct run *r, struct err *err)
{
	static const enum collector_failure failures[] = {
		[TARGET_NOT_FOUND] = COLLECTOR_NOT_FOUND,
		[TARGET_NOT_EXECUTABLE] = COLLECTOR_NOT_EXECUTABLE,
		[TARGET_OUR_FAULT] = COLLECTOR_CANNOT_RUN,
	};
	enum target_failure failure;

	if (target_prepare(&r->target, r->o->command, &failure, err) != 0)
		return fail(r, failures[failure]);
	if (r->target.is_native)
		return 0;
	if (target_find_engine(r->o->engine, &r->engine_fd, err) != 0 ||
	    host_init(&r->host, &r->o->config,
		      r->o->slot_count != 0 ? r->o->slot_count : DEFAULT_SLOTS,
		      r->o->ring_bytes != 0 ? r->o->ring_bytes : DEFAULT_RING_BYTES, err) != 0)
		return fail(r, COLLECTOR_CANNOT_RUN);
	if (slots_init(&r->slots, &r->host, &(struct slot_events){r, on_record, on_gone, on_counts},
		       err) != 0)
		return fail(r, COLLECTOR_CANNOT_RUN);
	return 0;
}

/* The rows that are known at the start go into the file before it takes the place of another. */
static int open_profile(struct run *r, struct err *err)
{
	if (r->o->output == NULL)
		return 0;
	if (store_create(r->o->output, &r->store, err) != 0 ||
	    meta_put_start(r->store, r->o, err) != 0)
		return fail(r, COLLECTOR_OUTPUT);
	r->recorder = recorder_new(r->store, &r->o->config);
	if (r->recorder == NULL ||
	    (r->o->exact != NULL && recorder_simulate(r->recorder, r->o->exact) != 0)) {
		err_set(err, "out of memory");
		return fail(r, COLLECTOR_CANNOT_RUN);
	}
	if (store_put_events(r->store, r->o->derived, r->o->derived_count, err) != 0 ||
	    store_publish(r->store, err) != 0)
		return fail(r, COLLECTOR_OUTPUT);
	r->output = realpath(r->o->output, NULL);
	return 0;
}

static int start(struct run *r, struct err *err)
{
	enum target_failure failure;

	r->start_ns = r->committed_ns = r->progressed_ns = clock_now_ns();
	r->start_cycles = machine_cycles();
	if (!r->target.is_native)
		r->host.header->config.run_start_ns = r->start_ns;
	if (target_start(&r->target, r->target.is_native ? NULL : &r->host, r->engine_fd, &failure,
			 err) == 0) {
		if (r->store != NULL)
			store_keep(r->store);
		r->has_begun = true;
		return 0;
	}
	return fail(r, failure == TARGET_NOT_EXECUTABLE ? COLLECTOR_NOT_EXECUTABLE
							: COLLECTOR_CANNOT_RUN);
}

static void run_natively(struct run *r)
{
	struct text line = {0};

	r->result->was_native = true;
	r->result->native_programs = 1;
	text_addf(&line, "%s %s: running it unprofiled", r->target.path, r->target.reason);
	tell(r, r->o->note, text_get(&line));
	text_release(&line);
	target_ended(&r->target, true, &r->result->wait_status);
	r->end_ns = clock_now_ns();
	r->result->has_run = true;
}

static void take_totals(struct run *r)
{
	struct recorder_totals t = recorder_totals(r->recorder);

	r->result->processes = t.processes;
	r->result->accesses = t.accesses;
	r->result->samples = t.samples;
	r->result->windows = t.windows;
	r->result->pieces = t.pieces;
	r->result->lost_records = t.lost_records;
	r->result->counting_ns = t.counting_ns;
	r->result->sampling_ns = t.sampling_ns;
	r->result->translate_ns = t.translate_ns;
	notice_first_message(r);
}

static void tell_outcome(struct run *r)
{
	struct recorder_totals t = recorder_totals(r->recorder);
	struct text lines = {0};
	char *line, *rest = NULL;

	if (r->target.is_native || (r->o->config.mode != CHANNEL_MODE_SAMPLE &&
				    r->o->config.mode != CHANNEL_MODE_SIMULATE))
		return;
	outcome_print(&r->o->config, r->host.header, r->end_ns - r->start_ns, t.samples + t.pieces,
		      r->result->was_stopped, &lines);
	line = lines.items != NULL ? strtok_r(lines.items, "\n", &rest) : NULL;
	for (; line != NULL; line = strtok_r(NULL, "\n", &rest))
		tell(r, r->o->warning, line);
	text_release(&lines);
}

/* Warn of files that could not be read for names. */
static void tell_losses(struct run *r)
{
	struct text line = {0};
	size_t next = 0;

	while (recorder_next_loss(r->recorder, &next, &line)) {
		tell(r, r->o->note, text_get(&line));
		text_release(&line);
	}
}

/* Warn the user of what became of the file; with what other file, or "". */
static void warn_of_profile(struct run *r, const char *what, const char *other)
{
	struct text line = {0};

	text_addf(&line, "profile '%s' %s", r->o->output, what);
	if (other[0] != '\0')
		text_addf(&line, " '%s%s' beside it: the disk is full", r->o->output, other);
	if (r->o->warning != NULL)
		r->o->warning(r->o->context, text_get(&line));
	text_release(&line);
}

static int close_profile(struct run *r, struct err *err)
{
	if (r->recorder == NULL)
		return 0;
	take_totals(r);
	tell_outcome(r);
	if (was_killed(r)) /* its engine may not have seen the signal */
		recorder_killed(r->recorder, (uint32_t)r->target.pid,
				WTERMSIG(r->result->wait_status));
	recorder_resolve(r->recorder);
	tell_losses(r);
	if (recorder_failed(r->recorder) != NULL) {
		*err = *recorder_failed(r->recorder);
		return fail(r, COLLECTOR_OUTPUT);
	}
	if (put_end(r, err) != 0)
		return fail(r, COLLECTOR_OUTPUT);
	if (!store_is_in_place(r->store))
		warn_of_profile(r, "was moved or removed while it was written", "");
	else if (store_needs_log(r->store))
		warn_of_profile(r, "needs", "-wal");
	return 0;
}

/* The profile could not be written to its end: what it has stays, and is readable. */
static void cut_off(struct run *r, const struct err *failure)
{
	if (!r->has_failed && r->o->warning != NULL)
		r->o->warning(r->o->context, failure->text);
	store_cut_off(r->store);
	warn_of_profile(r, "was cut off; it holds what was recorded before", "");
	r->result->was_cut_off = true;
}

int collector_run(const struct collector_options *o, struct collector_result *result,
		  struct err *err)
{
	struct run r = {.o = o,
			.result = result,
			.engine_fd = -1,
			.host = {.fd = -1},
			.control = {.fd = -1}};
	int status = -1;

	heap_return_large_blocks();
	*result = (struct collector_result){0};
	if (prepare(&r, err) != 0 || open_profile(&r, err) != 0 || start(&r, err) != 0)
		goto out;
	if (r.target.is_native) {
		run_natively(&r);
	} else {
		control_open(&r.control);
		follow_target(&r);
		end_dump(&r);
		finish_slots(&r);
	}
	status = close_profile(&r, err);
	control_answer(&r.control, output_of(&r), status != 0 ? err : NULL);
	wait_for_command(&r);
out:
	control_close(&r.control);
	free(r.output);
	recorder_free(r.recorder);
	if (status != 0 && r.has_begun && r.store != NULL) {
		cut_off(&r, err);
		status = 0;
	}
	if (status == 0)
		store_close(r.store);
	else
		store_abandon(r.store);
	target_release(&r.target);
	slots_release(&r.slots);
	host_release(&r.host);
	if (r.engine_fd >= 0)
		close(r.engine_fd);
	return status;
}
