/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up names of code locations, and with them of data, in order of address. */
#include "collector/naming/naming.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/sort.h"
#include "symbols/remote.h"

#define FIRST_NS  ((uint64_t)1000000000) /* shorter runs look up names at their end */
#define STEP_NS	  ((uint64_t)700000000)	 /* least time between two batches for the worker */
#define STEP_MOST ((size_t)4000)	 /* questions in a batch */
#define ASK_MOST  ((size_t)512)		 /* addresses of one file at once */
#define REST	  9 /* the worker rests this many times as long as its last batch took */

#define MOST_LOCATIONS ((size_t)UINT32_MAX - 2) /* ids have 32 bits */

/* Files prepared before there are questions: at most this many, and this size. */
#define EXPECTED_FILES 16
#define EXPECTED_BYTES ((uint64_t)32 << 20)

/*
 * A simulated compiler has half a million of these, so fields are only as wide as this machine's
 * addresses and pointers. Files beyond the last number (131071) count as no file.
 */
struct naming_question {
	uint64_t address : 47;
	uint64_t file : 17;   /* NO_FILE: in no file */
	uint64_t frames : 48; /* address of the frames in the symbols */
	uint64_t count : 16;
};

static_assert(sizeof(struct naming_question) == 16, "no more than that");

#define NO_FILE 0x1ffffu

static int file_of(const struct naming_question *q)
{
	return q->file == NO_FILE ? -1 : (int)q->file;
}

static const struct symbols_frame *frames_of(const struct naming_question *q)
{
	return (const struct symbols_frame *)(uintptr_t)q->frames;
}

enum worker_state { WORKER_IDLE, WORKER_BUSY, WORKER_DONE, WORKER_QUIT };

struct naming_worker {
	pthread_t thread;
	pthread_mutex_t lock; /* protects all members below */
	pthread_cond_t changed;
	enum worker_state state;
	struct symbols *symbols;
	bool has_data;		       /* as in struct naming */
	struct naming_question *batch; /* owned by the worker while it is busy */
	size_t count;
	struct data_answer *data; /* the same */
	size_t data_count;
	uint64_t cpu_ns; /* CPU time of the batch */
	bool failed;
	int ready, expected; /* files: the worker prepares those from `ready` up to `expected` */
	bool is_preparing;   /* is preparing a file */
	bool is_paused;	     /* prepares no more files */
};

int64_t naming_add(struct naming *n, int file, uint64_t address)
{
	if (n->count >= MOST_LOCATIONS || !ARRAY_GROW(n))
		return 0;
	n->items[n->count] = (struct naming_question){
		.address = address & (((uint64_t)1 << 47) - 1),
		.file = file >= 0 && file < (int)NO_FILE ? (unsigned)file : NO_FILE,
	};
	return (int64_t)++n->count;
}

int naming_file(const struct naming *n, int64_t id)
{
	return id > 0 && (size_t)id <= n->count ? file_of(&n->items[id - 1]) : -1;
}

uint64_t naming_address(const struct naming *n, int64_t id)
{
	return id > 0 && (size_t)id <= n->count ? n->items[id - 1].address : 0;
}

bool naming_knows(const struct naming *n, int64_t id, const struct symbols_frame **outermost)
{
	const struct naming_question *q;

	*outermost = NULL;
	if (id <= 0 || (size_t)id > n->named)
		return id <= 0;
	q = &n->items[id - 1];
	if (q->count > 0)
		*outermost = &frames_of(q)[q->count - 1];
	return true;
}

/* ---- Answers ---- */

/* The group of a question; code in no file is the first one. */
static size_t group_of(const struct naming_question *q)
{
	return (size_t)(file_of(q) + 1);
}

/*
 * Order the questions' indices by file. Returns the end of each of the *groups in `order`, or NULL.
 */
static size_t *group_by_file(const struct naming_question *q, size_t count, uint32_t *order,
			     size_t *groups)
{
	size_t *end, i, sum = 0;

	*groups = 1;
	for (i = 0; i < count; i++)
		if (group_of(&q[i]) >= *groups)
			*groups = group_of(&q[i]) + 1;
	end = calloc(*groups + 1, sizeof(*end));
	if (end == NULL)
		return NULL;
	for (i = 0; i < count; i++)
		end[group_of(&q[i]) + 1]++;
	for (i = 0; i < *groups; i++)
		end[i] = sum += end[i];
	for (i = 0; i < count; i++)
		order[end[group_of(&q[i])]++] = (uint32_t)i;
	return end;
}

/* Ask questions about one file. The lower half of each number is the question's index. */
static void ask(struct naming_question *questions, const uint64_t *numbers, size_t count,
		struct symbols *symbols)
{
	uint64_t addresses[ASK_MOST];
	struct symbols_frames frames[ASK_MOST];

	for (size_t i = 0; i < count; i++)
		addresses[i] = questions[(uint32_t)numbers[i]].address;
	symbols_resolve_many(symbols, file_of(&questions[(uint32_t)numbers[0]]), addresses, count,
			     frames);
	for (size_t i = 0; i < count; i++) {
		struct naming_question *q = &questions[(uint32_t)numbers[i]];

		q->count = frames[i].count & 0xffff;
		q->frames = (uintptr_t)frames[i].items & (((uint64_t)1 << 48) - 1);
	}
}

/*
 * Ask questions about one file in order of address, which costs least. `numbers` has room for them.
 */
static int ask_in_order(struct naming_question *questions, const uint32_t *order, size_t count,
			uint64_t *numbers, struct symbols *symbols)
{
	const uint64_t first = count > 0 ? questions[order[0]].address & ~(uint64_t)UINT32_MAX : 0;
	size_t i;

	/*
	 * Upper half: the lower half of the address, as the upper one hardly ever differs. Lower
	 * half: the index.
	 */
	for (i = 0; i < count; i++)
		numbers[i] = (questions[order[i]].address - first) << 32 | order[i];
	if (sort_by_upper_half(numbers, count) != 0)
		return -1;
	for (i = 0; i < count; i += ASK_MOST)
		ask(questions, numbers + i, count - i < ASK_MOST ? count - i : ASK_MOST, symbols);
	return 0;
}

/*
 * Ranges of a file's addresses; each is sorted and asked by itself, which needs less memory. Few
 * questions are one range: each range is a message to another process at least.
 */
#define PARTS	   256
#define PART_LEAST ((size_t)8 * ASK_MOST) /* questions for each, on average */

struct parts {
	uint64_t lowest;
	unsigned shift;
	size_t end[PARTS + 1];
};

static size_t part_of(const struct parts *p, const struct naming_question *q)
{
	return (size_t)((q->address - p->lowest) >> p->shift);
}

/* Order the questions by range, into `sorted`. Returns the number in the largest range. */
static size_t divide(const struct naming_question *q, const uint32_t *order, size_t count,
		     struct parts *p, uint32_t *sorted)
{
	uint64_t highest = 0;
	const uint64_t parts = count / PART_LEAST < PARTS ? count / PART_LEAST + 1 : PARTS;
	size_t i, sum = 0, most = 0;

	*p = (struct parts){.lowest = UINT64_MAX};
	for (i = 0; i < count; i++) {
		uint64_t address = q[order[i]].address;

		p->lowest = address < p->lowest ? address : p->lowest;
		highest = address > highest ? address : highest;
	}
	while (count > 0 && (highest - p->lowest) >> p->shift >= parts)
		p->shift++;
	for (i = 0; i < count; i++)
		p->end[part_of(p, &q[order[i]]) + 1]++;
	for (i = 0; i <= PARTS; i++) {
		most = p->end[i] > most ? p->end[i] : most;
		p->end[i] = sum += p->end[i];
	}
	for (i = 0; i < count; i++)
		sorted[p->end[part_of(p, &q[order[i]])]++] = order[i];
	return most;
}

static int find_names_of_file(struct naming_question *questions, const uint32_t *order,
			      size_t count, struct symbols *symbols)
{
	uint32_t *sorted = malloc((count + 1) * sizeof(*sorted));
	uint64_t *numbers = NULL;
	struct parts parts;
	size_t begin = 0;
	int status = -1;

	if (sorted != NULL)
		numbers = malloc((divide(questions, order, count, &parts, sorted) + 1) *
				 sizeof(*numbers));
	if (numbers != NULL)
		status = 0;
	for (size_t i = 0; status == 0 && i < PARTS; begin = parts.end[i++])
		status = ask_in_order(questions, sorted + begin, parts.end[i] - begin, numbers,
				      symbols);
	free(numbers);
	free(sorted);
	return status;
}

/* Find names. Code made at run time is skipped unless `is_end`: it then has no frames yet. */
static int find_names(struct naming_question *questions, size_t count, bool is_end,
		      struct symbols *symbols)
{
	uint32_t *order = malloc((count + 1) * sizeof(*order));
	size_t groups = 0, begin = 0;
	size_t *end = order != NULL ? group_by_file(questions, count, order, &groups) : NULL;
	int status = end != NULL ? 0 : -1;

	for (size_t i = 0; status == 0 && i < groups; begin = end[i++])
		if (is_end || !symbols_is_runtime_code(symbols, (int)i - 1))
			status = find_names_of_file(questions, order + begin, end[i] - begin,
						    symbols);
	free(order);
	free(end);
	return status;
}

static int write_names(const struct naming_question *q, int64_t id, struct store *store,
		       struct err *err)
{
	const struct symbols_frame *names = frames_of(q);
	struct store_frame frames[STORE_MAX_FRAMES];
	size_t i;

	for (i = 0; i < q->count && i < STORE_MAX_FRAMES; i++)
		frames[i] = (struct store_frame){names[i].function, names[i].file, names[i].line};
	return i > 0 ? store_put_frames(store, id, frames, i, err) : 0;
}

/* Store the answer of location `id`, write its names, and tell the listener. */
static int write_answer(struct naming *n, int64_t id, const struct naming_question *q,
			struct store *store, struct err *err)
{
	n->items[id - 1].count = q->count;
	n->items[id - 1].frames = q->frames;
	if (write_names(q, id, store, err) != 0)
		return -1;
	if (n->listener == NULL || q->count == 0)
		return 0;
	return n->listener(n->listener_context, id, &frames_of(q)[q->count - 1], err);
}

/* Store the answers of the next `count` locations. */
static int write_next(struct naming *n, const struct naming_question *answers, size_t count,
		      struct store *store, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (write_answer(n, (int64_t)++n->named, &answers[i], store, err) != 0)
			return -1;
	return 0;
}

/* ---- The worker ---- */

static uint64_t thread_cpu_ns(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Called with the lock held; releases it while it works. */
static void do_batch(struct naming_worker *w)
{
	uint64_t begin = thread_cpu_ns();
	bool failed;

	pthread_mutex_unlock(&w->lock);
	failed = find_names(w->batch, w->count, false, w->symbols) != 0 ||
		 data_names_find(w->data, w->data_count, w->symbols) != 0;
	pthread_mutex_lock(&w->lock);
	w->failed = failed;
	w->cpu_ns = thread_cpu_ns() - begin;
	w->state = WORKER_DONE;
	pthread_cond_broadcast(&w->changed);
}

static void *work(void *context)
{
	struct naming_worker *w = context;
	uint64_t bytes = EXPECTED_BYTES;

	pthread_mutex_lock(&w->lock);
	while (w->state != WORKER_QUIT) {
		if (w->state == WORKER_BUSY) {
			do_batch(w);
		} else if (w->ready < w->expected && !w->is_paused) {
			int file = w->ready++;

			w->is_preparing = true;
			pthread_mutex_unlock(&w->lock);
			bytes = symbols_prepare(w->symbols, file, w->has_data, bytes);
			pthread_mutex_lock(&w->lock);
			w->is_preparing = false;
		} else {
			pthread_cond_wait(&w->changed, &w->lock);
		}
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Block signals in the worker: they are for the thread that waits for the target. */
static int start_thread(struct naming_worker *w)
{
	sigset_t all, mask;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	code = pthread_create(&w->thread, NULL, work, w);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return code;
}

static struct naming_worker *worker_new(struct symbols *symbols, bool has_data)
{
	struct naming_worker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->symbols = symbols;
	w->has_data = has_data;
	w->batch = calloc(STEP_MOST, sizeof(*w->batch));
	w->data = calloc(STEP_MOST, sizeof(*w->data));
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	symbols_remote_start(symbols); /* on failure it is tried again later */
	if (w->batch != NULL && w->data != NULL && start_thread(w) == 0)
		return w;
	free(w->batch);
	free(w->data);
	free(w);
	return NULL;
}

static void set_state(struct naming_worker *w, enum worker_state state)
{
	w->state = state;
	pthread_cond_broadcast(&w->changed);
}

/* Write the worker's answers, if it is done; wait for them if `block`. The lock is held. */
static int take_answers(struct naming *n, bool block, struct store *store, uint64_t now_ns,
			struct err *err)
{
	struct naming_worker *w = n->worker;
	int status = 0;

	while (block && w->state == WORKER_BUSY)
		pthread_cond_wait(&w->changed, &w->lock);
	if (w->state != WORKER_DONE)
		return 0;
	if (!w->failed) /* on failure, the look-up at the end reports it */
		status = write_next(n, w->batch, w->count, store, err);
	if (!w->failed && status == 0)
		status = data_names_write(&n->data, w->data, w->data_count, w->symbols, store, err);
	n->due_ns = now_ns + (w->cpu_ns * REST > STEP_NS ? w->cpu_ns * REST : STEP_NS);
	set_state(w, WORKER_IDLE);
	return status;
}

static void worker_end(struct naming *n)
{
	struct naming_worker *w = n->worker;

	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	while (w->state == WORKER_BUSY)
		pthread_cond_wait(&w->changed, &w->lock);
	set_state(w, WORKER_QUIT);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w->batch);
	free(w->data);
	free(w);
	n->worker = NULL;
}

/* ---- Interface ---- */

static bool is_waiting(const struct naming *n)
{
	return n->count > n->named || n->data.count > n->data.taken;
}

void naming_expect(struct naming *n, struct symbols *symbols, int file)
{
	struct naming_worker *w;

	if (file < n->expected || file >= EXPECTED_FILES)
		return;
	n->expected = file + 1;
	if (n->worker == NULL)
		n->worker = worker_new(symbols, n->has_data);
	w = n->worker;
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	w->expected = n->expected;
	w->is_paused = n->is_paused;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

int naming_step(struct naming *n, struct symbols *symbols, struct store *store, uint64_t now_ns,
		struct err *err)
{
	struct naming_worker *w;
	int status;

	if (n->due_ns == 0)
		n->due_ns = now_ns + FIRST_NS;
	if (now_ns >= n->due_ns && n->worker == NULL && is_waiting(n))
		n->worker = worker_new(symbols, n->has_data);
	if (n->worker == NULL)
		return 0;
	w = n->worker;
	pthread_mutex_lock(&w->lock);
	status = take_answers(n, false, store, now_ns, err);
	if (status == 0 && w->state == WORKER_IDLE && now_ns >= n->due_ns && !n->is_paused &&
	    is_waiting(n)) {
		w->count = n->count - n->named < STEP_MOST ? n->count - n->named : STEP_MOST;
		if (w->count > 0)
			memcpy(w->batch, n->items + n->named, w->count * sizeof(*w->batch));
		w->data_count = data_names_take(&n->data, w->data, STEP_MOST);
		set_state(w, WORKER_BUSY);
	}
	pthread_mutex_unlock(&w->lock);
	return status;
}

bool naming_pause(struct naming *n, bool is_paused)
{
	bool is_idle = true;

	n->is_paused = is_paused;
	if (n->worker != NULL) {
		pthread_mutex_lock(&n->worker->lock);
		is_idle = n->worker->state == WORKER_IDLE && !n->worker->is_preparing;
		n->worker->is_paused = is_paused;
		pthread_cond_broadcast(&n->worker->changed);
		pthread_mutex_unlock(&n->worker->lock);
	}
	return is_idle;
}

void naming_forked(struct naming *n)
{
	n->worker = NULL; /* its memory belongs to the parent */
}

/* Name code made at run time. Its names are written in order of id, which takes the fewest rows. */
static int name_runtime_code(struct naming *n, struct symbols *symbols, struct store *store,
			     struct err *err)
{
	struct naming_question *late;
	size_t count = 0, i;
	int status;

	for (i = 0; i < n->count; i++)
		count += symbols_is_runtime_code(symbols, file_of(&n->items[i]));
	late = calloc(count + 1, sizeof(*late));
	for (i = count = 0; late != NULL && i < n->count; i++)
		if (symbols_is_runtime_code(symbols, file_of(&n->items[i])))
			late[count++] = n->items[i];
	if (late == NULL || find_names(late, count, true, symbols) != 0) {
		free(late);
		return err_set(err, "out of memory");
	}
	status = 0;
	for (i = count = 0; status == 0 && i < n->count; i++)
		if (symbols_is_runtime_code(symbols, file_of(&n->items[i])))
			status = write_answer(n, (int64_t)i + 1, &late[count++], store, err);
	free(late);
	return status;
}

int naming_finish(struct naming *n, struct symbols *symbols, struct store *store, struct err *err)
{
	int status = 0;

	if (n->worker != NULL) {
		pthread_mutex_lock(&n->worker->lock);
		status = take_answers(n, true, store, 0, err);
		pthread_mutex_unlock(&n->worker->lock);
	}
	worker_end(n);
	if (status != 0)
		return -1;
	if (find_names(n->items + n->named, n->count - n->named, false, symbols) != 0)
		return err_set(err, "out of memory");
	if (write_next(n, n->items + n->named, n->count - n->named, store, err) != 0 ||
	    name_runtime_code(n, symbols, store, err) != 0)
		return -1;
	return data_names_finish(&n->data, symbols, store, err);
}

void naming_release(struct naming *n)
{
	worker_end(n);
	data_names_release(&n->data);
	free(n->items);
	*n = (struct naming){0};
}
