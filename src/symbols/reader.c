/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that reads symbols. A damaged file may cause an assertion or a fault in libdw or
 * libelf: then only this process ends, and the run continues. It is forked from the process that
 * asks, knows its files, and answers until that process ends.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/heap.h"
#include "symbols/message.h"
#include "symbols/private.h"

/* libdw recurses deeply, so the stack must not depend on the shell's limit. */
#define STACK_BYTES ((size_t)64 << 20)

struct reader {
	struct symbols *symbols;
	int fd;
	uint64_t addresses[MESSAGE_MOST_ADDRESSES];
};

static void add_answer(struct text *out, const struct symbols_answer *a, uint64_t first,
		       uint64_t same)
{
	message_add(out, first);
	message_add(out, same);
	message_add(out, a->count);
	for (size_t i = 0; i < a->count; i++) {
		message_add_string(out, a->frames[i].function);
		message_add_string(out, a->frames[i].file);
		message_add(out, a->frames[i].line);
	}
}

/* Write the losses; then for each address 1 and an answer, or 0 for the previous answer. */
static int resolve(struct reader *r, struct symbols_file *f, uint32_t count, struct text *out)
{
	const struct symbols_answer *last = NULL;
	struct text answers = {0};
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < count; i++) {
		const struct symbols_answer *a =
			symbols_find_answer(r->symbols, f, r->addresses[i]);

		if (a == NULL) {
			status = -1;
			break;
		}
		message_add(&answers, a != last);
		if (a != last)
			add_answer(&answers, a, f->last_address, f->last_count);
		last = a;
	}
	message_add(out, (f->has_bad_table ? MESSAGE_BAD_TABLE : 0) |
				 (f->is_missing ? MESSAGE_MISSING : 0) |
				 (f->lacks_split ? MESSAGE_NO_SPLIT : 0) |
				 f->unread * MESSAGE_UNREAD);
	text_add_bytes(out, text_get(&answers), answers.count);
	out->failed |= answers.failed;
	text_release(&answers);
	return status;
}

/* Write the number of members + 1, or 0 for no layout; then type, size, and members. */
static void add_layout(struct text *out, const struct symbols_layout *l)
{
	message_add(out, l != NULL ? l->member_count + 1 : 0);
	if (l == NULL)
		return;
	message_add_string(out, l->type);
	message_add(out, l->bytes);
	for (size_t i = 0; i < l->member_count; i++) {
		const struct symbols_member *m = &l->members[i];

		message_add(out, m->depth);
		message_add(out, m->offset);
		message_add(out, m->bytes);
		message_add(out, m->elements);
		message_add(out, m->form);
		message_add_string(out, m->name);
		message_add_string(out, m->type);
	}
}

/* For each address: 2 and the variable, 1 for the previous one, or 0 for none. */
static int find_variables(struct reader *r, struct symbols_file *f, uint32_t count,
			  struct text *out)
{
	struct symbols_variable v = {0};
	bool is_known = false;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t address = r->addresses[i];

		if (is_known && !v.is_section && address >= v.start && address < v.end) {
			message_add(out, 1);
			continue;
		}
		is_known = symbols_find_variable(f, address, symbols_arena(r->symbols), &v);
		message_add(out, is_known ? 2 : 0);
		if (!is_known)
			continue;
		message_add(out, v.start);
		message_add(out, v.end);
		message_add(out, v.element_bytes);
		message_add(out, v.line);
		message_add(out, v.is_section);
		message_add_string(out, v.name);
		message_add_string(out, v.type);
		message_add_string(out, v.file);
		add_layout(out, v.layout);
	}
	return 0;
}

/* For each address: is it for others, and the layout. */
static int find_results(struct reader *r, struct symbols_file *f, uint32_t count, struct text *out)
{
	for (uint32_t i = 0; i < count; i++) {
		struct symbols_result x;

		symbols_find_result(f, r->addresses[i], &x);
		message_add(out, x.is_for_others);
		message_add(out, x.is_guess);
		message_add(out, x.is_element);
		message_add(out, x.handed);
		add_layout(out, x.layout);
	}
	return 0;
}

/* For each address: the size and the form. */
static int find_operands(struct reader *r, struct symbols_file *f, uint32_t count, struct text *out)
{
	for (uint32_t i = 0; i < count; i++) {
		struct symbols_operand x;

		symbols_find_operand(f, r->addresses[i], &x);
		message_add(out, x.bytes);
		message_add(out, x.form);
	}
	return 0;
}

static int answer(struct reader *r, const struct message_question *q, struct text *out)
{
	struct symbols_file *f = symbols_get(r->symbols, (int)q->file);

	f->sources = q->sources;
	switch (q->kind) {
	case MESSAGE_RESOLVE:
		return resolve(r, f, q->count, out);
	case MESSAGE_VARIABLE:
		return find_variables(r, f, q->count, out);
	case MESSAGE_RESULT:
		return find_results(r, f, q->count, out);
	case MESSAGE_OPERAND:
		return find_operands(r, f, q->count, out);
	case MESSAGE_PREPARE:
		message_add(out, symbols_prepare_file(f, q->has_data, q->most,
						      symbols_arena(r->symbols)));
		return 0;
	default:
		return -1;
	}
}

static int take_question(struct reader *r, struct message_question *q)
{
	char *path;
	int along[MESSAGE_ALONG], status = -1;

	if (message_receive_question(r->fd, q, along) != 0 || q->count > MESSAGE_MOST_ADDRESSES)
		return -1;
	path = calloc(1, (size_t)q->path_bytes + 1);
	if (path != NULL && message_receive(r->fd, path, q->path_bytes) == 0 &&
	    message_receive(r->fd, r->addresses, q->count * sizeof(r->addresses[0])) == 0)
		status = 0;
	if (status == 0 && q->tells_file)
		status = symbols_learn(r->symbols, q, path, along);
	free(path);
	return status;
}

static void *serve(void *context)
{
	struct reader *r = context;
	struct message_question q;

	while (take_question(r, &q) == 0) {
		struct text out = {0};
		uint64_t bytes;
		int status;

		status = answer(r, &q, &out);
		bytes = out.count;
		if (status != 0 || out.failed || message_send(r->fd, &bytes, sizeof(bytes)) != 0 ||
		    message_send(r->fd, text_get(&out), out.count) != 0)
			break;
		text_release(&out);
	}
	_exit(0);
}

/* Silence the libraries, write no core, and block signals, which are for the run. */
static void settle(void)
{
	static const int faults[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	const struct rlimit none = {0, 0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		signal(faults[i], SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_NAME, "dwell-symbols");
	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
}

static int nearer(int least, int fd, int from)
{
	return fd >= from && fd < least ? fd : least;
}

/* The lowest descriptor, from `from` on, that the reader needs; INT_MAX: none. */
static int next_needed(struct symbols *s, int fd, int from)
{
	int least = nearer(INT_MAX, fd, from);

	for (size_t i = 0; i < symbols_count(s); i++) {
		const struct symbols_file *f = symbols_get(s, (int)i);

		least = nearer(least, f->fd, from);
		least = nearer(least, f->debug_fd, from);
	}
	return least;
}

/*
 * Close the asking process's other descriptors. This process may outlive it, and an open descriptor
 * would keep a profile locked.
 */
static void close_others(struct symbols *s, int fd)
{
	for (int from = 3; from < INT_MAX;) {
		int needed = next_needed(s, fd, from);

		if (needed > from)
			close_range((unsigned)from, (unsigned)needed - 1, 0);
		from = needed == INT_MAX ? INT_MAX : needed + 1;
	}
}

void symbols_reader_run(struct symbols *s, int fd)
{
	struct reader *r = calloc(1, sizeof(*r));
	pthread_attr_t attributes;
	pthread_t thread;

	settle();
	heap_use_one_arena();
	close_others(s, fd);
	if (r == NULL)
		_exit(1);
	*r = (struct reader){.symbols = s, .fd = fd};
	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, STACK_BYTES) != 0 ||
	    pthread_create(&thread, &attributes, serve, r) != 0)
		serve(r);
	else
		pthread_join(thread, NULL);
	_exit(0);
}
