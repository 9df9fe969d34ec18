/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The collector's reading side, fed through a real channel by a writer in this process. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "channel/ring.h"
#include "collector/naming/code_map.h"
#include "collector/record_check.h"
#include "collector/target/slots.h"

/* What the slots told. */
struct log {
	unsigned records, gone;
	uint32_t last_type, last_order;
	enum slot_farewell how;
	char why[64];
};

static const char *on_record(void *context, uint32_t order, const struct record_header *h)
{
	struct log *l = context;

	l->records++;
	l->last_type = h->type;
	l->last_order = order;
	return NULL;
}

static void on_gone(void *context, uint32_t order, enum slot_farewell how, const char *why,
		    const struct slot_counts *counts)
{
	struct log *l = context;

	(void)order;
	(void)counts;
	l->gone++;
	l->how = how;
	snprintf(l->why, sizeof(l->why), "%s", why != NULL ? why : "");
}

static void on_counts(void *context, uint32_t order, const struct slot_counts *counts)
{
	(void)context;
	(void)order;
	(void)counts;
}

struct bench {
	struct host host;
	struct slots slots;
	struct log log;
	struct ring ring; /* the writer's */
};

static void set_up(struct bench *b)
{
	struct slot_events events = {&b->log, on_record, on_gone, on_counts};
	struct channel_config config = {.mode = CHANNEL_MODE_SAMPLE};

	memset(b, 0, sizeof(*b));
	assert_int_equal(host_init(&b->host, &config, 4, 65536, NULL), 0);
	assert_int_equal(slots_init(&b->slots, &b->host, &events, NULL), 0);
	ring_of_slot(&b->ring, b->host.header, b->host.slot_bytes, b->host.ring_bytes, 0);
}

static void tear_down(struct bench *b)
{
	slots_release(&b->slots);
	host_release(&b->host);
}

static void go_live(struct bench *b, pid_t pid)
{
	b->ring.slot->pid = (uint32_t)pid;
	b->ring.slot->state = CHANNEL_SLOT_LIVE;
}

static void write_process(struct bench *b, uint32_t order)
{
	struct record_process *p = ring_reserve(&b->ring, sizeof(*p) + 8);

	assert_non_null(p);
	*p = (struct record_process){
		.h = {RECORD_PROCESS, sizeof(*p) + 8}, .order = order, .string_bytes = 5};
	memcpy(p + 1, "/x\0x\0\0\0", 8);
	ring_commit(&b->ring, p->h.bytes);
}

static void write_window(struct bench *b)
{
	struct record_window *w = ring_reserve(&b->ring, sizeof(*w));

	assert_non_null(w);
	*w = (struct record_window){.h = {RECORD_WINDOW, sizeof(*w)}, .length = 10};
	ring_commit(&b->ring, sizeof(*w));
}

static void records_come_out_in_order_and_the_slot_is_freed(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	go_live(&b, getpid());
	write_process(&b, 7);
	write_window(&b);
	assert_true(slots_drain(&b.slots) > 0);
	assert_int_equal(b.log.records, 2);
	assert_int_equal(b.log.last_order, 7);
	assert_int_equal(b.log.last_type, RECORD_WINDOW);
	assert_int_equal(slots_live(&b.slots), 1);
	/* The process can see what its records cost; who comes after it begins at nothing. */
	assert_true(b.ring.slot->taken_ns > 0);
	b.ring.slot->state = CHANNEL_SLOT_ENDED;
	slots_drain(&b.slots);
	assert_int_equal(b.ring.slot->taken_ns, 0);
	assert_int_equal(b.log.gone, 1);
	assert_int_equal(b.log.how, SLOT_ENDED);
	assert_int_equal(b.ring.slot->state, CHANNEL_SLOT_FREE);
	assert_int_equal(b.ring.slot->write_pos, b.ring.slot->read_pos);
	tear_down(&b);
}

static void the_ring_goes_round(void **state)
{
	struct bench b;
	unsigned i;

	(void)state;
	set_up(&b);
	go_live(&b, getpid());
	write_process(&b, 0);
	for (i = 0; i < 10000; i++) { /* 3 MB through a ring of 65536 bytes */
		write_window(&b);
		if (i % 100 == 99)
			slots_drain(&b.slots);
	}
	assert_int_equal(b.log.records, 10001);
	assert_int_equal(b.log.gone, 0);
	tear_down(&b);
}

static void nonsense_ends_a_slot_and_no_other(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	go_live(&b, getpid());
	write_process(&b, 3);
	memset(ring_reserve(&b.ring, 64), 0xff, 64);
	ring_commit(&b.ring, 64);
	slots_drain(&b.slots);
	assert_int_equal(b.log.gone, 1);
	assert_int_equal(b.log.how, SLOT_NONSENSE);
	assert_string_equal(b.log.why, "bytes that are no record");
	/* What it goes on to write is thrown away, so that it does not wait for room. */
	write_window(&b);
	slots_drain(&b.slots);
	assert_int_equal(b.log.records, 1);
	assert_int_equal(ring_used(&b.ring), 0);
	b.ring.slot->state = CHANNEL_SLOT_ENDED;
	slots_drain(&b.slots);
	assert_int_equal(b.ring.slot->state, CHANNEL_SLOT_FREE);
	/* The slot serves the next process. */
	go_live(&b, getpid());
	write_process(&b, 4);
	slots_drain(&b.slots);
	assert_int_equal(b.log.last_order, 4);
	tear_down(&b);
}

static void scribbled_positions_and_states_are_survived(void **state)
{
	static const uint64_t positions[] = {1, 8, 65536, 65544, UINT64_MAX, UINT64_MAX - 7};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(positions) / sizeof(positions[0]); i++) {
		struct bench b;

		set_up(&b);
		go_live(&b, getpid());
		write_process(&b, 0);
		slots_drain(&b.slots);
		b.ring.slot->write_pos = positions[i];
		slots_drain(&b.slots);
		b.ring.slot->read_pos = positions[i];
		slots_drain(&b.slots);
		b.ring.slot->state = 99;
		slots_drain(&b.slots);
		b.ring.slot->state = CHANNEL_SLOT_FREE;
		slots_drain(&b.slots);
		slots_check(&b.slots);
		slots_finish(&b.slots);
		assert_int_equal(b.log.gone, 1);
		tear_down(&b);
	}
}

static void a_process_that_died_without_a_word_is_noticed(void **state)
{
	struct bench b;
	siginfo_t info;
	pid_t child;

	(void)state;
	set_up(&b);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	go_live(&b, child);
	write_process(&b, 0);
	slots_drain(&b.slots);
	slots_check(&b.slots);
	assert_int_equal(b.log.gone, 0);
	write_window(&b);
	kill(child, SIGKILL);
	/* a zombie counts as dead */
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	slots_check(&b.slots);
	assert_int_equal(b.log.gone, 1);
	assert_int_equal(b.log.how, SLOT_KILLED);
	assert_int_equal(b.log.records, 2); /* what it wrote before is not lost */
	assert_int_equal(b.ring.slot->state, CHANNEL_SLOT_FREE);
	waitpid(child, NULL, 0);
	tear_down(&b);
}

static void records_that_lie_about_their_text_are_refused(void **state)
{
	struct {
		struct record_module m;
		char path[8];
	} r = {{.h = {RECORD_MODULE, sizeof(r)}, .start = 1, .end = 2, .path_bytes = 8}, "/a/b/cd"};

	(void)state;
	assert_null(record_check(&r.m.h));
	r.m.path_bytes = 9;
	assert_non_null(record_check(&r.m.h));
	r.m.path_bytes = UINT32_MAX;
	assert_non_null(record_check(&r.m.h));
	r.m.path_bytes = 0;
	assert_non_null(record_check(&r.m.h));
	r.m.path_bytes = 7; /* no NUL there */
	assert_non_null(record_check(&r.m.h));
	r.m.path_bytes = 8;
	r.m.end = 1;
	assert_non_null(record_check(&r.m.h));
}

static void streams_longer_than_their_record_are_refused(void **state)
{
	struct {
		struct record_stream s;
		uint64_t entries[2];
	} r = {{{RECORD_STREAM, sizeof(r)}, 0, 2}, {0, 0}};

	(void)state;
	assert_null(record_check(&r.s.h));
	r.s.count = 3;
	assert_non_null(record_check(&r.s.h));
	r.s.h.bytes = sizeof(struct record_header);
	assert_non_null(record_check(&r.s.h));
}

static void a_module_counts_while_it_is_mapped(void **state)
{
	struct code_map c = {0};
	struct code_module a = {1, 0, 0x1000, 0x2000, 0, 0, 500},
			   b = {2, 1, 0x1000, 0x3000, 0, 600, UINT64_MAX};
	size_t module;
	int is_new;

	(void)state;
	code_map_add_module(&c, &a);
	code_map_add_module(&c, &b);
	assert_int_equal(code_map_find_module(&c, 0x1800, 100), 0);
	assert_int_equal(code_map_find_module(&c, 0x1800, 499), 0);
	assert_int_equal(code_map_find_module(&c, 0x1800, 700), 1);
	/* Between the two: unmapped at 500, mapped at 600; the nearer one. */
	assert_int_equal(code_map_find_module(&c, 0x1800, 510), 0);
	assert_int_equal(code_map_find_module(&c, 0x1800, 590), 1);
	assert_int_equal(code_map_find_module(&c, 0x2800, 100), 1);
	assert_int_equal(code_map_find_module(&c, 0x9000, 100), CODE_NO_MODULE);
	/* One pc is a location in each of them. */
	code_map_locate(&c, 0x1800, 100, &module, &is_new);
	assert_true(is_new);
	assert_int_equal(module, 0);
	code_map_locate(&c, 0x1800, 700, &module, &is_new);
	assert_true(is_new);
	assert_int_equal(module, 1);
	code_map_locate(&c, 0x1800, 200, &module, &is_new);
	assert_false(is_new);
	assert_int_equal(module, 0);
	code_map_release(&c);
}

/* Beyond the room of the first tables, and where addresses end. */
static void locations_are_found_again(void **state)
{
	enum { COUNT = 20000 };
	struct code_map c = {0};
	struct code_module m = {1, 0, 0x1000, 0x1000 + COUNT / 2, 0, 0, UINT64_MAX};
	const uint64_t ends[] = {0, 1, 0x7fffffffffff, 0xffffffffff600000};
	size_t module;
	int is_new;

	(void)state;
	code_map_add_module(&c, &m);
	for (unsigned round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < COUNT; i++) {
			/* Each second one first: ids come between others. */
			const uint64_t k = i < COUNT / 2 ? 2 * i : 2 * (i - COUNT / 2) + 1;
			uint32_t *id = code_map_locate(&c, 0x1000 + k, 7, &module, &is_new);

			assert_int_equal(is_new, round == 0);
			assert_int_equal(module, k < COUNT / 2 ? 0 : CODE_NO_MODULE);
			if (is_new)
				*id = (uint32_t)(UINT32_MAX - k);
			assert_int_equal(*id, UINT32_MAX - k);
		}
		for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
			uint32_t *id = code_map_locate(&c, ends[i], 7, &module, &is_new);

			assert_int_equal(is_new, round == 0);
			if (is_new)
				*id = i;
			assert_int_equal(*id, i);
		}
	}
	assert_int_equal(c.location_count, COUNT + sizeof(ends) / sizeof(ends[0]));
	code_map_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_out_in_order_and_the_slot_is_freed),
		cmocka_unit_test(the_ring_goes_round),
		cmocka_unit_test(nonsense_ends_a_slot_and_no_other),
		cmocka_unit_test(scribbled_positions_and_states_are_survived),
		cmocka_unit_test(a_process_that_died_without_a_word_is_noticed),
		cmocka_unit_test(records_that_lie_about_their_text_are_refused),
		cmocka_unit_test(streams_longer_than_their_record_are_refused),
		cmocka_unit_test(a_module_counts_while_it_is_mapped),
		cmocka_unit_test(locations_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
