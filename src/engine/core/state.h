/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the engine inside a target: one struct engine for the address space, one struct
 * process per kernel process that shares it (a vfork child has its own), one struct thread per
 * kernel thread, reached through %gs.
 *
 * Laws of in-target code:
 * - no libc call after start-up, no thread-local storage, and no vector register, except in
 *   assembly that restores it;
 * - no lock is held while target code runs, or while one of its system calls waits;
 * - memory of the target is accessed only by engine_copy, engine_xsave, engine_xrstor or inside
 *   engine_guarded;
 * - a loss of profile data is counted, and the target continues.
 */
#ifndef DWELL_ENGINE_CORE_STATE_H
#define DWELL_ENGINE_CORE_STATE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "channel/channel.h"
#include "channel/launch.h"
#include "channel/ring.h"
#include "engine/core/layout.h"
#include "sim/plan/asks.h"

#define MAX_SIGNAL 64
/* The signal of the engine's own timers. */
#define TICK_SIGNAL	   33
#define TICK_BIT	   (1ull << (TICK_SIGNAL - 1))
#define ENGINE_STACK_BYTES (64u << 10)
#define SIGNAL_STACK_BYTES (32u << 10)
#define PAGE		   4096ul

enum code_variant_id {
	VARIANT_COUNT = 0,
	VARIANT_STREAM = 1,
	VARIANT_FILTER = 2,
	VARIANT_APPROACH = 3,
	VARIANTS = 4
};

/* String instructions whose short runs count themselves, see emit_rep. */
enum quick_rep { QUICK_MOVS, QUICK_STOS, QUICK_LODS, QUICK_REPS };

enum reg { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, NOREG };

/* The kernel's struct sigaction. */
struct kernel_sigaction {
	uint64_t handler;
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

struct counts {
	uint64_t accesses;
	uint64_t loads;
	uint64_t stores;
	uint64_t instructions;
};

/* Counts that the counter register has no lane for. */
struct extra_counts {
	uint64_t rep_iterations;
	uint64_t vector_elements;
	uint64_t translate_cycles;
	uint64_t scan_cycles;
	uint64_t watch_accesses;
	/*
	 * of a thread: accesses of string instructions that call the engine, which are tens of
	 * times as fast as other accesses
	 */
	uint64_t leaps;
	uint64_t paced; /* of a process: all other accesses */
};

/* A call of an allocation function that has not returned yet; see alloc.c. */
struct alloc_call {
	uint64_t sp, back; /* stack address of its return address, and that address */
	uint64_t size, element_size;
	uint64_t old;	/* block to be resized, or 0 */
	uint64_t out;	/* where the result will be written; 0: it is returned */
	uint64_t began; /* the thread's count of accesses then; not in the count variant */
	uint8_t kind;	/* enum site_kind; 0: there is no call */
};

/* The gather or scatter that ran last, or is about to; see elements.c. */
struct vector_access {
	uint64_t pc;
	uint32_t lanes; /* whose mask bit was set before */
	uint16_t most;	/* number of lanes */
	uint8_t opmask; /* the register with the mask; 255: a vector register */
	uint8_t mask_vector, element_bytes;
	bool stores;
};

#define HELD_KINDS 5

/* Blocked signals whose numbers are those of faults; see held.h. */
struct held_signals {
	struct held_signal {
		uint32_t state;
		siginfo_t info;
	} of[HELD_KINDS];
};

struct process;
struct watch_set;
struct call_stack;
struct block_log;
struct graph_thread;

struct thread {
	uint64_t spill0, spill1;
	uint64_t regs[16];
	uint64_t rip;
	uint64_t rflags;
	struct thread *self;
	uint64_t engine_sp;
	uint64_t next;
	uint32_t exit;
	uint32_t pending;
	uint32_t called;
	uint32_t high_vectors;
	uint64_t poll_at; /* cache address where it was called, or its buffer was full */
	uint64_t hook_sp;
	uint64_t *buf;
	struct counts counters __attribute__((aligned(32)));
	uint8_t app31[64] __attribute__((aligned(64)));
	uint64_t spill2, spill3, spill4;
	uint64_t rep_rcx, rep_rsi, rep_rdi;
	uint64_t syscall_sp;
	uint32_t in_cache;
	uint32_t held;
	uint32_t used31;
	uint32_t special;
	uint64_t miss_address, miss_back; /* see filter.h */
	uint64_t miss_site;
	/* by kind, since the last one that was counted outside the cache */
	uint64_t quick_reps[QUICK_REPS];
	uint64_t turn; /* blocks, see filter_scheduler.h */
	/* kept only without the instructions of fsbase.h: then the target has none either */
	uint64_t fs_base;
	uint64_t caller_sp;
	/* Only C uses the fields below. */
	struct process *process;
	/* list of all threads, and the link to this one; under the world lock */
	struct thread *next_thread, **listed_at;
	/*
	 * Of the thread and its process, for the kernel. The latter is not process->pid in a
	 * process that shares memory and signal handlers with that one. 0 before the thread begins,
	 * and in another namespace of pids.
	 */
	uint32_t tid, pid;
	uint32_t index; /* order in the process */
	uint32_t variant;
	uint32_t generation; /* of the code cache when a resume address was taken */
	bool hidden;	     /* its table of tallies is unreadable */
	bool has_copy;	     /* its table of tallies is its own, see poll.h */
	bool tick_due;	     /* the dispatcher must call collect_tick */
	bool has_timer;
	bool real_tick; /* the kernel holds back a TICK_SIGNAL that is the target's */
	int32_t timer;
	int64_t tick_left[4];	/* of the timer while it is stopped: interval, value */
	uint64_t mask;		/* signals the target believes blocked */
	stack_t altstack;	/* the target's */
	siginfo_t pending_info; /* valid while pending */
	uint32_t fault;		/* pending signal is a fault of the instruction at rip */
	uint64_t saved_suspend_mask;
	bool have_suspend_mask;
	bool shares_signals; /* it has held a signal for the process; see held_share */
	/* in cycles, see rest.h */
	uint64_t signal_at, signal_end, calm;
	uint64_t rest_ns;
	uint32_t handlers; /* that have begun since one ended */
	int32_t rest_timer;
	bool has_rest_timer, resting;
	uint8_t signal_stage;
	bool kicked;	    /* by another thread, in a system call; see held_is_kick */
	uint64_t looks_for; /* kinds that it waits for in a system call; read by other threads */
	struct held_signals held_signals;
	struct extra_counts extra;
	struct counts published; /* unbiased; already in the process's totals */
	struct extra_counts extra_published;
	/* counters have the layout of the thread's variant, see lanes.h */
	bool in_lanes;
	bool is_packed;	      /* counters are the two lanes of xmm15 */
	struct counts before; /* while in_lanes: the counts when the thread entered the cache */
	uint64_t clock;	      /* of the filter variant */
	uint64_t lane[2];     /* of the filter variant: sums of lanes 2 and 3 */
	/* the real end of the entries, if the register is beyond it; or NULL */
	uint64_t *cut;
	uint64_t *buf_memory;	  /* the whole buffer */
	uint64_t *buf_start;	  /* stream entries of the open batch */
	uint64_t *buf_end;	  /* entries from here on cannot be written */
	uint64_t stream_position; /* thread accesses at buf_start, unbiased */
	/* entries for 1024 accesses, trailers included, in the last full buffer */
	uint64_t entries_of_1024;
	struct watch_set *watches;
	/* From `watches` (buffers.c); or NULL: no call paths, or allocations are not followed. */
	struct call_stack *call_stack;
	struct block_log *block_log;
	/* left out until the window is over: no memory for its buffer, or no share */
	bool unsampled;
	/* see shares.h */
	uint64_t settled;  /* accesses that windows have spoken for */
	uint64_t share;	   /* of the open window, that is left */
	uint64_t share_at; /* accesses, when it was given; or at the begin */
	int64_t ahead;
	bool is_new, is_awaited, has_come, has_had;
	struct graph_thread *calls;
	void *stack_memory;
	uint64_t stack_bytes;
	/* of a process that shares the memory only: freed with the thread */
	struct process *own_process;
	bool is_vforked; /* its parent waits, and retires it */
	bool is_gone;	 /* it was killed in translated code, see stuck_is_gone */
	bool is_unnamed; /* in another namespace of pids: `pid` is 0 */
	/* For continuing by pc if the cache is flushed before T_NEXT is used. */
	bool resuming;
	struct counts resume_after; /* counted, not executed yet */
	struct counts fault_after;  /* to be subtracted once the counters are in memory */
	uint64_t fault_error, fault_trap, fault_address; /* of its last fault, for frames */
	uint64_t rng;
	struct alloc_call alloc_call;
	bool clears_handlers; /* as it begins: CLONE_CLEAR_SIGHAND */
	struct thread *maker; /* set: it leaves as soon as it begins, see own_tracer.h */
	uint64_t maker_flags;
	uint32_t own_tracer; /* tid of a child that does so, 0 once it has ended */
	bool sleeps_for_tracer;
	struct thread *scheduler_next; /* see scheduler.c */
	uint32_t scheduler_turn, scheduler_seen;
	bool scheduler_waits;
	uint32_t scheduler_call;      /* see scheduler_enter_call */
	uint64_t stuck_cpu, stuck_at; /* see stuck.c */
	uint32_t stuck_looks;
	bool stuck_waits; /* in stuck_wait */
	/* called out: must wait for the memory that the instruction at rip touches */
	bool stuck_left;
	struct counts stretch_from; /* what stretches.c has counted of it */
	bool turn_is_over;	    /* the dispatcher must pass the turn, see filter_scheduler.h */
	uint64_t quick_added[QUICK_REPS]; /* the part of quick_reps that the counters contain */
	struct vector_access vector;
	uint32_t vector_segment; /* its number, in a simulation */
	bool before_vector, vector_faulted;
	bool vector_kept; /* it was simulated, but had to wait: do not simulate it again */
	/* after a fault: 1 + instructions of the last segment that have run; or 0 */
	uint32_t cut_insns;
	uint32_t cut_segment;	 /* that segment, in the filter variant */
	uint32_t poll_segment;	 /* the same of the one that begins at poll_at */
	bool cut_tried;		 /* the next one has faulted: it was fetched, its accesses tried */
	bool repeats;		 /* single-steps one instruction, see fault.c */
	uint32_t toggles_inside; /* a bit for each function of toggles.h that it is in */
	bool toggled;		 /* an odd number of them */
	uint64_t toggle_entry[CHANNEL_MOST_TOGGLES]; /* the stack pointer there */
	uint64_t step_from; /* single-stepping: pc of the current instruction, or 0 */
};

_Static_assert(offsetof(struct thread, regs) == T_REGS, "layout");
_Static_assert(offsetof(struct thread, rip) == T_RIP, "layout");
_Static_assert(offsetof(struct thread, rflags) == T_RFLAGS, "layout");
_Static_assert(offsetof(struct thread, self) == T_SELF, "layout");
_Static_assert(offsetof(struct thread, engine_sp) == T_ENGINE_SP, "layout");
_Static_assert(offsetof(struct thread, next) == T_NEXT, "layout");
_Static_assert(offsetof(struct thread, exit) == T_EXIT, "layout");
_Static_assert(offsetof(struct thread, pending) == T_PENDING, "layout");
_Static_assert(offsetof(struct thread, called) == T_CALLED, "layout");
_Static_assert(offsetof(struct thread, counters) == T_COUNTERS, "layout");
_Static_assert(offsetof(struct thread, buf) == T_BUF, "layout");
_Static_assert(offsetof(struct thread, spill0) == T_SPILL0, "layout");
_Static_assert(offsetof(struct thread, spill1) == T_SPILL1, "layout");
_Static_assert(offsetof(struct thread, hook_sp) == T_HOOK_SP, "layout");
_Static_assert(offsetof(struct thread, app31) == T_APP31, "layout");
_Static_assert(offsetof(struct thread, spill2) == T_SPILL2, "layout");
_Static_assert(offsetof(struct thread, spill3) == T_SPILL3, "layout");
_Static_assert(offsetof(struct thread, spill4) == T_SPILL4, "layout");
_Static_assert(offsetof(struct thread, rep_rcx) == T_REP_RCX, "layout");
_Static_assert(offsetof(struct thread, rep_rsi) == T_REP_RSI, "layout");
_Static_assert(offsetof(struct thread, rep_rdi) == T_REP_RDI, "layout");
_Static_assert(offsetof(struct thread, syscall_sp) == T_SYSCALL_SP, "layout");
_Static_assert(offsetof(struct thread, in_cache) == T_IN_CACHE, "layout");
_Static_assert(offsetof(struct thread, held) == T_HELD, "layout");
_Static_assert(offsetof(struct thread, used31) == T_USED31, "layout");
_Static_assert(offsetof(struct thread, high_vectors) == T_HIGH_VECTORS, "layout");
_Static_assert(offsetof(struct thread, special) == T_SPECIAL, "layout");
_Static_assert(offsetof(struct thread, miss_address) == T_MISS_ADDRESS, "layout");
_Static_assert(offsetof(struct thread, miss_back) == T_MISS_BACK, "layout");
_Static_assert(offsetof(struct thread, miss_site) == T_MISS_SITE, "layout");
_Static_assert(offsetof(struct thread, quick_reps) == T_QUICK_REPS, "layout");
_Static_assert(offsetof(struct thread, turn) == T_TURN, "layout");
_Static_assert(offsetof(struct thread, fs_base) == T_FS_BASE, "layout");
_Static_assert(offsetof(struct thread, caller_sp) == T_CALLER_SP, "layout");
_Static_assert(sizeof(struct thread) <= T_TALLIES, "layout");

/* State of a kernel process, not shared with a vfork child. */
struct process {
	struct kernel_sigaction actions[MAX_SIGNAL + 1]; /* as the target set them */
	struct held_signals held_signals;		 /* sent to the process */
	uint32_t action_lock;
	uint32_t pid;
	uint32_t order;	      /* in the run */
	bool profiling;	      /* it has a slot that the collector reads */
	bool borrowed_memory; /* a vfork child: the parent's memory, no records */
	bool is_traced;	      /* it has asked to be, by PTRACE_TRACEME */
	/* has waited for room in the ring in vain; see records_wait_for_room */
	bool has_waited;
	uint32_t slot; /* of the channel; valid while profiling */
	struct ring ring;
	uint32_t ring_lock;
	uint32_t thread_count; /* ever */
	uint32_t listed;       /* threads; under the world lock */
	struct counts total;   /* published by threads, atomic */
	struct extra_counts extra;
	uint64_t counting_ns, sampling_ns, translate_ns; /* see budget.h */
	uint64_t data_until;				 /* see struct channel_counters */
	int channel_fd, engine_fd;			 /* the engine's; hidden from the target */
	char exe[4096];					 /* for readlink of /proc/self/exe */
	void *launch_memory; /* vectors of a vfork child's exec: the parent frees them */
	uint64_t launch_bytes;
	struct launch_limit limits[LAUNCH_LIMITS]; /* that the program set for itself */
};

struct engine {
	void *channel; /* header of the channel, mapped; NULL: no collector */
	uint64_t slot_bytes, ring_bytes;
	uint32_t slot_count;
	struct channel_config config;
	uint32_t collector_pid;
	uint32_t variant;    /* enum code_variant_id that threads should be in, atomic */
	uint32_t generation; /* code cache generation, atomic */
	struct thread *threads;
	uint32_t world_lock; /* threads list */
	uint32_t translate_lock;
	struct process first;
	uint64_t xsave_mask, xsave_bytes;
	uint64_t zmm31_at;   /* offset in a signal frame's vector state */
	uint32_t keys_at;    /* the same of the rights of protection keys; 0: there are none */
	uint32_t first_keys; /* those rights when a process begins */
	/* longest time between two reports of the counts of a thread without windows */
	uint64_t report_ns;
	bool fsgsbase;
	bool amd;
	bool bmi2;	    /* and popcnt */
	bool wide;	    /* all that scan_filter_wide needs is present and enabled */
	char own_path[256]; /* of the engine itself, as /proc/self/exe reads */
	uint64_t own_path_bytes;
	uint32_t native; /* threads leave for good, see native.h; atomic */
	/* the memory is or was shared with another process, other than by vfork */
	bool is_shared;
	bool quiet; /* a system call filter is in place: the engine avoids its own calls */
};

extern struct engine engine;

/* As say, about what is no failure: the user may have asked for silence. */
#define say_note(...) (engine.config.only_failures ? (void)0 : say(__VA_ARGS__))
extern uint8_t engine_vector_counter; /* COUNTER_*, see layout.h */

/* While any of it is not 0, threads go to the dispatcher before they enter the cache. */
union hold {
	uint64_t any;
	struct {
		uint32_t world; /* threads wait until it is 0 */
		uint32_t asked; /* by other processes, see visits.h */
	};
};

extern union hold engine_hold;

static inline struct thread *thread_self(void)
{
	struct thread *t;

	__asm__("mov %%gs:%c1, %0" : "=r"(t) : "i"(T_SELF));
	return t;
}

/* A lone thread needs no lock: only its own calls, in the dispatcher, create others. */
static inline bool thread_is_alone(void)
{
	return !engine.threads->next_thread;
}

/* Iterations of short string instructions that the counters do not hold yet. */
static inline uint64_t thread_quick_reps(const struct thread *t, enum quick_rep kind)
{
	return t->quick_reps[kind] - t->quick_added[kind];
}

static inline uint64_t thread_quick_accesses(const struct thread *t)
{
	return 2 * thread_quick_reps(t, QUICK_MOVS) + thread_quick_reps(t, QUICK_STOS) +
	       thread_quick_reps(t, QUICK_LODS);
}

/* Add these iterations to the counters. */
static inline void thread_add_quick_reps(struct thread *t)
{
	const uint64_t movs = thread_quick_reps(t, QUICK_MOVS),
		       stos = thread_quick_reps(t, QUICK_STOS),
		       lods = thread_quick_reps(t, QUICK_LODS);

	if (!(movs | stos | lods))
		return;
	t->counters.accesses += 2 * movs + stos + lods;
	t->counters.loads += movs + lods;
	t->counters.stores += movs + stos;
	t->extra.rep_iterations += movs + stos + lods;
	for (int k = 0; k < QUICK_REPS; k++)
		t->quick_added[k] = t->quick_reps[k];
}

/* Start the iteration counts at 0 again. */
static inline void thread_forget_quick_reps(struct thread *t)
{
	for (int k = 0; k < QUICK_REPS; k++)
		t->quick_reps[k] = t->quick_added[k] = 0;
}

/* Must the thread leave the engine for good? See native.h. */
static inline bool native_is_on(const struct thread *t)
{
	return __builtin_expect(__atomic_load_n(&engine.native, __ATOMIC_ACQUIRE), 0) &&
	       !t->process->borrowed_memory;
}

/* Is sp within the alternate stack that the target has set for its signals? */
static inline bool thread_on_altstack(const struct thread *t, uint64_t sp)
{
	uint64_t base = (uint64_t)(uintptr_t)t->altstack.ss_sp;

	/* one that is disarmed when a handler begins is not looked at */
	return t->altstack.ss_flags >= 0 && sp > base && sp - base <= t->altstack.ss_size;
}

/* Is the run a simulation, and does it follow calls? */
static inline bool engine_simulates(void)
{
	return engine.config.mode == CHANNEL_MODE_SIMULATE;
}

/* Are misses counted by data structure? */
static inline bool engine_counts_data(void)
{
	return engine_simulates() && engine.config.asks & SIM_ASK_DATA;
}

/* Is the data structure of each reference counted? */
static inline bool engine_counts_references(void)
{
	return engine_counts_data() && engine.config.asks & SIM_ASK_REFERENCES;
}

/* Are conflict misses counted apart? */
static inline bool engine_finds_conflicts(void)
{
	return engine_counts_data() && engine.config.asks & SIM_ASK_CONFLICTS;
}

static inline bool engine_follows_calls(void)
{
	return engine_simulates() && !(engine.config.asks & SIM_ASK_NO_GRAPH);
}

static inline uint64_t thread_accesses(const struct thread *t)
{
	return t->counters.accesses;
}

/* Why the cache was left: small codes, or EXIT_RECORD_FIRST + index of an exit record. */
enum {
	EXIT_INDIRECT = 1,
	EXIT_POLL = 2,	 /* called at the beginning of a segment, t->poll_at */
	EXIT_FULL = 3,	 /* no room for a segment's entries: t->poll_at, t->resume_after */
	EXIT_RETURN = 4, /* as EXIT_INDIRECT, by a return */
	EXIT_RECORD_FIRST = 16,
};

/* glue.S */
extern char engine_exit[], engine_resume[], engine_fault_resume[];
extern char engine_glue_end[], engine_ib_mismatch[], engine_ib_miss[], engine_restorer[];
extern char engine_hook[];
extern char engine_return_mismatch[], engine_return_miss[];
extern char engine_let_in_end[];
extern char engine_syscall_begin[], engine_syscall_insn[], engine_syscall_abort[];
extern char engine_copy_end[], engine_copy_failed[], engine_xstate_end[], engine_guarded_failed[];
long engine_syscall(struct thread *t, long nr, const long args[6]);
long engine_let_in(long nr, long a, long b, long c, long d);
long engine_copy(void *to, const void *from, size_t n);
long engine_copy_own(void *to, const void *from, size_t n);
long engine_peek(uint64_t *to, const void *from); /* the same for 8 bytes */
long engine_touch(uint8_t *at);
long engine_same(const uint64_t (*reads)[2], uint64_t n);
long engine_xsave(void *area, uint64_t mask);
long engine_xrstor(const void *area, uint64_t mask);
long engine_fxrstor(const void *area);
int engine_guarded(int (*fn)(void *), void *arg);
long engine_clone(long nr, const long a[5], struct thread *child);
__attribute__((noreturn)) void engine_leave_thread(struct thread *t, long status);
__attribute__((noreturn)) void engine_run_on(void *stack, void (*fn)(void *), void *arg);

#define RESTART_CALL (-85) /* -ERESTART from engine_syscall: a signal came first */

#endif
