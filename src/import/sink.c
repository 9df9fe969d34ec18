/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes nodes, locations and modules of an imported file into the profile. */
#include "import/sink.h"

#include "store/store.h"

void sink_release(struct sink *s)
{
	strings_release(&s->strings);
	tuples_release(&s->nodes);
	tuples_release(&s->locations);
	tuples_release(&s->modules);
	tuples_release(&s->threads);
}

static const char *text_of(const struct sink *s, size_t name)
{
	return name == SINK_UNKNOWN ? NULL : s->strings.items[name].text;
}

/* *is_new: the tuple was added. */
static int find(struct tuples *t, const uint64_t keys[TUPLE_KEYS], int64_t *id, bool *is_new,
		struct err *err)
{
	size_t before = t->count, number = tuples_find(t, keys);

	if (number == TUPLES_FULL || number >= (size_t)STORE_MAX_ID)
		return err_set(err, "out of memory");
	*id = (int64_t)number + 1;
	*is_new = t->count != before;
	return 0;
}

int sink_node(struct sink *s, const struct sink_function *f, int64_t *id, struct err *err)
{
	uint64_t keys[TUPLE_KEYS] = {f->name, f->file << 32 | (f->object & 0xffffffff),
				     (uint64_t)s->process << 32 |
					     ((uint64_t)s->thread & 0xffffffff),
				     (uint64_t)f->caller};
	struct store_node n;
	bool is_new = false;

	if (find(&s->nodes, keys, id, &is_new, err) != 0)
		return -1;
	if (!is_new)
		return 0;
	n = (struct store_node){
		.id = *id,
		.process_id = s->process,
		.thread = s->thread,
		.function = text_of(s, f->name),
		.file = text_of(s, f->file),
		.object = text_of(s, f->object),
		.caller_id = f->caller,
	};
	return store_put_node(s->store, &n, err);
}

/* The object as a module with an unknown address; one for each process. */
static int find_module(struct sink *s, size_t object, int64_t *id, struct err *err)
{
	uint64_t keys[TUPLE_KEYS] = {object, (uint64_t)s->process};
	struct store_module m = {.process_id = s->process, .unmapped_at = UINT64_MAX};
	bool is_new = false;

	if (find(&s->modules, keys, id, &is_new, err) != 0)
		return -1;
	m.id = *id;
	m.path = text_of(s, object);
	return is_new ? store_put_module(s->store, &m, err) : 0;
}

int sink_location(struct sink *s, const struct sink_place *p, int64_t *id, struct err *err)
{
	/* An instruction in several contexts is one location. */
	uint64_t keys[TUPLE_KEYS] = {p->object << 32 | (p->file & 0xffffffff), p->address,
				     p->line << 32 | (uint64_t)s->process,
				     p->address == 0 ? p->name : 0};
	struct store_frame frame = {text_of(s, p->name), text_of(s, p->file), (uint32_t)p->line};
	struct store_location l = {.process_id = s->process, .module_id = STORE_NONE};
	bool is_new = false;

	if (find(&s->locations, keys, id, &is_new, err) != 0)
		return -1;
	if (!is_new)
		return 0;
	l.id = *id;
	l.pc = p->address;
	if (p->address != 0 && p->object != SINK_UNKNOWN) {
		l.module_address = p->address;
		if (find_module(s, p->object, &l.module_id, err) != 0)
			return -1;
	}
	if (store_put_location(s->store, &l, err) != 0)
		return -1;
	return store_put_frames(s->store, *id, &frame, 1, err);
}

int sink_use_thread(struct sink *s, int64_t index, struct err *err)
{
	uint64_t keys[TUPLE_KEYS] = {(uint64_t)index, (uint64_t)s->process};
	struct store_thread t = {.process_id = s->process, .index = (uint32_t)index};
	int64_t number;
	bool is_new = false;

	s->thread = index;
	if (index == STORE_NONE)
		return 0;
	if (find(&s->threads, keys, &number, &is_new, err) != 0)
		return -1;
	t.tid = (uint32_t)index;
	return is_new ? store_put_thread(s->store, &t, err) : 0;
}
