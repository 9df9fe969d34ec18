/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds damaged data to the reading side of the channel: slots, record checks, and the recorder
 * with a real store. A broken target must not harm more than its own profile. Build with
 * sanitizers.
 *
 *   fuzz_ring [ROUNDS [SEED]]
 *
 * The runs are sampled, or simulated with and without a call graph. Each round writes a few valid
 * records, then damages bytes of the ring, of the positions or of the slot's header, and reads.
 * With -DFUZZ_LIBFUZZER the bytes come from libFuzzer instead.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channel/ring.h"
#include "channel/stack_distance.h"
#include "collector/recorder.h"
#include "collector/simulation/simulation.h"
#include "collector/target/slots.h"
#include "sim/base/geometry.h"
#include "sim/plan/asks.h"

#define RING_BYTES 16384
#define SLOTS	   2
#define RUN_ROUNDS 1600 /* of one run; then comes one of another kind */

struct fuzz {
	struct host host;
	unsigned events; /* of a simulated run */
	struct slots slots;
	struct store *store;
	struct recorder *recorder;
	struct ring ring;
	uint32_t next_order;
	uint64_t records, gone;
};

static uint64_t random_state;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static const char *on_record(void *context, uint32_t order, const struct record_header *h)
{
	struct fuzz *f = context;

	f->records++;
	if (h->type == RECORD_PROCESS)
		slots_drain_process(&f->slots, order ^ 1);
	return recorder_record(f->recorder, order, h);
}

static void on_gone(void *context, uint32_t order, enum slot_farewell how, const char *why,
		    const struct slot_counts *counts)
{
	struct fuzz *f = context;

	f->gone++;
	recorder_gone(f->recorder, order, how, why, counts);
}

static void on_counts(void *context, uint32_t order, const struct slot_counts *counts)
{
	struct fuzz *f = context;

	recorder_counts(f->recorder, order, counts);
}

/* Two levels of caches, and code. */
static void simulate(struct channel_config *config, uint32_t flags)
{
	const struct sim_geometry g = {
		.code = {1024, 2, 64}, .levels = {{1024, 2, 64}, {8192, 4, 64}}, .level_count = 2};

	config->mode = CHANNEL_MODE_SIMULATE;
	config->asks = flags;
	config->geometry_count = 1;
	config->geometry_bytes = sizeof(g);
	memcpy(config->geometry, &g, sizeof(g));
}

static int set_up(struct fuzz *f, const char *path, uint64_t kind)
{
	struct channel_config config = {.mode = CHANNEL_MODE_SAMPLE};
	struct slot_events events = {f, on_record, on_gone, on_counts};
	struct err err;

	*f = (struct fuzz){.host = {.fd = -1}};
	if (kind % 3 != 0)
		simulate(&config,
			 SIM_ASK_DATA | (kind % 3 == 1 ? SIM_ASK_JUMPS : SIM_ASK_NO_GRAPH));
	if (store_create(path, &f->store, &err) != 0 ||
	    host_init(&f->host, &config, SLOTS, RING_BYTES, &err) != 0 ||
	    slots_init(&f->slots, &f->host, &events, &err) != 0) {
		fprintf(stderr, "fuzz_ring: %s\n", err.text);
		return -1;
	}
	f->recorder = recorder_new(f->store, &config);
	if (f->recorder == NULL || recorder_failed(f->recorder) != NULL)
		return -1;
	if (config.geometry_count > 0) {
		struct store_event list[STORE_MAX_COLUMNS];
		char names[STORE_MAX_COLUMNS][32];
		size_t count;

		if (simulation_events(&config, list, names, &count, &err) != 0)
			return -1;
		f->events = (unsigned)count;
	}
	return 0;
}

/* All of it is written down. */
static int tear_down(struct fuzz *f)
{
	struct err err = {"the recorder failed"};
	int status;

	slots_finish(&f->slots);
	recorder_resolve(f->recorder);
	status = recorder_failed(f->recorder) == NULL ? store_finish(f->store, &err) : -1;
	if (status != 0)
		fprintf(stderr, "fuzz_ring: %s\n",
			recorder_failed(f->recorder) != NULL ? recorder_failed(f->recorder)->text
							     : err.text);
	recorder_free(f->recorder);
	slots_release(&f->slots);
	host_release(&f->host);
	store_close(f->store);
	return status;
}

#define SEGMENT_PARTS 3u

/* The fixed sizes of the records, by type; text and entries follow some of them. */
static const uint32_t record_bytes[] = {
	[RECORD_PAD] = 16,
	[RECORD_PROCESS] = sizeof(struct record_process) + 16,
	[RECORD_MODULE] = sizeof(struct record_module) + 16,
	[RECORD_UNMAP] = sizeof(struct record_unmap),
	[RECORD_THREAD] = sizeof(struct record_thread),
	[RECORD_WINDOW] = sizeof(struct record_window),
	[RECORD_SAMPLE] = sizeof(struct record_sample),
	[RECORD_END] = sizeof(struct record_end),
	[RECORD_STREAM] = sizeof(struct record_stream) + 32,
	[RECORD_MESSAGE] = sizeof(struct record_header) + 16,
	[RECORD_FAR] = sizeof(struct record_far) + CHANNEL_FAR_SIZES * sizeof(struct far_line),
	[RECORD_NESTED] = sizeof(struct record_nested),
	[RECORD_SITE] = sizeof(struct record_site) + 32,
	[RECORD_SITE_COUNTS] = sizeof(struct record_site_counts),
	[RECORD_REGION] = sizeof(struct record_region) + 16,
	[RECORD_LOCALS] = sizeof(struct record_locals),
	[RECORD_PATH] = sizeof(struct record_path) + 32,
	[RECORD_STACK_DISTANCE] = sizeof(struct record_stack_distance),
	[RECORD_SEGMENT] =
		sizeof(struct record_segment) + SEGMENT_PARTS * sizeof(struct segment_part),
	[RECORD_NODE] = sizeof(struct record_node),
	[RECORD_ARC] = sizeof(struct record_arc),
	[RECORD_JUMP] = sizeof(struct record_jump),
	[RECORD_BIN] = sizeof(struct record_bin),
	[RECORD_EVICTION] = sizeof(struct record_eviction),
	[RECORD_STRETCH] = sizeof(struct record_stretch),
	[RECORD_CONTRASTS] = sizeof(struct record_contrasts),
	[RECORD_PATTERN] = sizeof(struct record_pattern),
	[RECORD_LINES] = sizeof(struct record_lines) + 16,
	[RECORD_PROBES] = sizeof(struct record_probes) + 16,
};

#define RECORD_TYPES (sizeof(record_bytes) / sizeof(record_bytes[0]))

static bool is_simulated(uint32_t type)
{
	return (type >= RECORD_SEGMENT && type <= RECORD_JUMP) || type == RECORD_BIN ||
	       type == RECORD_EVICTION || type == RECORD_STRETCH || type == RECORD_PATTERN;
}

static bool is_sampled(uint32_t type)
{
	return type == RECORD_WINDOW || type == RECORD_SAMPLE || type == RECORD_FAR ||
	       type == RECORD_NESTED || type == RECORD_PATH || type == RECORD_STACK_DISTANCE;
}

static bool is_of_lines(uint32_t type)
{
	return type == RECORD_LINES || type == RECORD_PROBES;
}

/* Mostly one that the run asks for: with another one its process is not followed on. */
static uint32_t choose_type(const struct fuzz *f)
{
	uint32_t type;

	do {
		type = (uint32_t)(random_next() % RECORD_TYPES);
	} while (random_next() % 64 != 0 &&
		 (is_of_lines(type) || (f->events == 0 ? is_simulated(type) : is_sampled(type))));
	return type;
}

static void choose_data(struct bin_data *d)
{
	d->kind = (uint32_t)random_next() % BIN_DATA_KINDS;
	d->site = (uint32_t)random_next() % 16;
	d->start = random_next() % 65536;
	d->end = d->start + random_next() % 4096;
}

/* Of the open window, if its number is high enough: few windows are written between. */
static void choose_far(struct record_far *f, uint16_t sizes)
{
	struct far_line *line = (void *)(f + 1);

	f->window = UINT32_MAX - (uint32_t)random_next() % 4;
	f->sizes = sizes;
	f->first = (uint16_t)(random_next() & sizes);
	f->position = random_next() % 100000;
	f->end.pc = random_next() % 65536;
	f->end.address = random_next() >> random_next() % 64;
	f->end.kind = ACCESS_STORE;
	f->begin.pc = random_next() % 65536;
	f->begin.kind = ACCESS_LOAD;
	if (random_next() % 4 == 0)
		memset(&f->begin, 0, sizeof(f->begin));
	for (uint16_t i = 0; i < CHANNEL_FAR_SIZES; i++) {
		if ((sizes >> i & 1) == 0)
			continue;
		line->weight = 1 + random_next() % 100000;
		line->distance = f->first >> i & 1 ? 0 : random_next() % 1000000;
		line->lines = f->first >> i & 1 ? 0 : random_next() % 10000;
		line++;
	}
}

/* A record that passes the checks. */
static void write_record(struct fuzz *f, uint32_t type)
{
	/* As many as were asked for, nearly always. */
	const uint32_t events = random_next() % 64 != 0 ? f->events : (uint32_t)random_next() % 3;
	uint32_t bytes;
	union {
		struct record_header h;
		struct record_process process;
		struct record_module module;
		struct record_unmap unmap;
		struct record_sample sample;
		struct record_far far;
		struct record_stream stream;
		struct record_nested nested;
		struct record_site site;
		struct record_site_counts counts;
		struct record_region region;
		struct record_locals locals;
		struct record_path path;
		struct record_stack_distance stack;
		struct record_segment segment;
		struct record_node node;
		struct record_arc arc;
		struct record_jump jump;
		struct record_bin bin;
		struct record_eviction eviction;
		struct record_stretch stretch;
		struct record_contrasts contrasts;
		struct record_pattern pattern;
	} *r = NULL;

	const uint16_t far_sizes = (uint16_t)(1 + random_next() % ((1u << CHANNEL_FAR_SIZES) - 1));

	bytes = record_bytes[type];
	if (type == RECORD_FAR)
		bytes = (uint32_t)(sizeof(struct record_far) +
				   (unsigned)__builtin_popcount(far_sizes) *
					   sizeof(struct far_line));
	if (type == RECORD_SEGMENT || type == RECORD_ARC)
		bytes += events * (uint32_t)sizeof(uint64_t);
	/* The writer, too, meets the positions that were damaged before. */
	if (f->ring.slot->write_pos % 8 == 0)
		r = ring_reserve(&f->ring, bytes);
	if (r == NULL)
		return;
	memset(r, 0, bytes);
	r->h = (struct record_header){type, bytes};
	if (type == RECORD_PROCESS) {
		r->process.order = f->next_order++;
		r->process.string_bytes = 16;
		r->process.cause = (uint32_t)random_next() % 3;
		r->process.parent = (uint32_t)random_next() % (f->next_order + 1);
		memcpy(&r->process + 1, "/bin/true\0true", 15);
	} else if (type == RECORD_MODULE) {
		r->module.start = random_next() % 8 << 12;
		r->module.end = r->module.start + 4096;
		r->module.path_bytes = 16;
		memcpy(&r->module + 1, "/bin/true", 10);
	} else if (type == RECORD_UNMAP) {
		r->unmap.end = random_next() % 65536 + 1;
	} else if (type == RECORD_SAMPLE) {
		r->sample.begin.pc = random_next() % 65536;
		r->sample.begin.kind = ACCESS_LOAD;
		r->sample.begin.site = (uint32_t)random_next() % 16;
		r->sample.begin.path = (uint32_t)random_next() % 16;
		r->sample.status = SAMPLE_FAR;
	} else if (type == RECORD_FAR) {
		choose_far(&r->far, far_sizes);
	} else if (type == RECORD_REGION) {
		r->region.start = random_next() % 65536;
		r->region.end = r->region.start + 1 + random_next() % 4096;
		r->region.name_bytes = 16;
		r->region.number = (uint32_t)random_next() % 16;
		memcpy(&r->region + 1, "a", random_next() % 2);
	} else if (type == RECORD_LOCALS) {
		r->locals.start = random_next() % 65536;
		r->locals.end = r->locals.start + 1 + random_next() % 4096;
		r->locals.code = random_next() % 65536;
	} else if (type == RECORD_STREAM) {
		r->stream.count = 4;
	} else if (type == RECORD_NESTED) {
		r->nested.begin.kind = ACCESS_LOAD;
		r->nested.weight = 1;
	} else if (type == RECORD_SITE) {
		r->site.id = 1 + (uint32_t)random_next() % 8;
		r->site.kind = 1 + (uint16_t)(random_next() % (SITE_KINDS - 1));
		r->site.depth = (uint16_t)(random_next() % 5);
	} else if (type == RECORD_PATH) {
		r->path.id = 1 + (uint32_t)random_next() % 8;
		r->path.depth = 1 + (uint32_t)random_next() % 4;
	} else if (type == RECORD_STACK_DISTANCE) {
		r->stack.sizes = 1 + (uint32_t)random_next() % STACK_ALL;
		for (uint32_t i = 0; i < STACK_SIZES; i++) {
			r->stack.distance[i] = random_next() % 100000;
			r->stack.lines[i] = random_next() % 100000;
		}
	} else if (type == RECORD_SEGMENT) {
		struct segment_part *part = (void *)(&r->segment + 1);

		r->segment.pc = random_next() % 65536;
		r->segment.executions = random_next() % 1000;
		r->segment.parts = SEGMENT_PARTS;
		r->segment.events = (uint16_t)events;
		r->segment.node = random_next() % 2 != 0 ? (uint32_t)random_next() % 8 : 0;
		part[random_next() % SEGMENT_PARTS].has_events = 1;
		part[1].offset = (uint16_t)(random_next() % 16);
		part[2].reads = (uint8_t)random_next();
	} else if (type == RECORD_NODE) {
		r->node.id = 1 + (uint32_t)random_next() % 64;
		r->node.caller = (uint32_t)random_next() % r->node.id;
		r->node.start = random_next() % 65536;
		r->node.kind = (uint32_t)random_next() % (FUNCTION_MADE + 1);
	} else if (type == RECORD_ARC) {
		r->arc.pc = random_next() % 65536;
		r->arc.calls = random_next() % 1000;
		r->arc.caller = (uint32_t)random_next() % 4;
		r->arc.callee = 1 + (uint32_t)random_next() % 4;
		r->arc.flags = (uint32_t)random_next() % 16;
		r->arc.events = events;
	} else if (type == RECORD_JUMP) {
		r->jump.from = random_next() % 65536;
		r->jump.to = random_next() % 65536;
		r->jump.executed = r->jump.taken = random_next() % 1000;
		r->jump.node = 1 + (uint32_t)random_next() % 4;
	} else if (type == RECORD_BIN) {
		r->bin.pc = random_next() % 65536;
		choose_data(&r->bin.data);
		r->bin.range.step = random_next() % 3 * 8;
		r->bin.range.low = random_next() % 65536;
		r->bin.range.high = r->bin.range.low + random_next() % 8 * r->bin.range.step;
		r->bin.counts[0].missed = random_next() % 1000;
		r->bin.counts[random_next() % 3].missed = random_next() % 1000;
	} else if (type == RECORD_EVICTION) {
		r->eviction.cache = random_next() % (BIN_CACHES + 1);
		r->eviction.count = random_next() % 1000;
		r->eviction.function = random_next() % 65536;
		r->eviction.evictor = random_next() % 2 * 4096;
		choose_data(&r->eviction.data);
		choose_data(&r->eviction.evictor_data);
	} else if (type == RECORD_STRETCH) {
		r->stretch.number = random_next() % 4;
		r->stretch.accesses = random_next() % 1000000;
		r->stretch.caches[random_next() % 3].missed = random_next() % 1000;
	} else if (type == RECORD_CONTRASTS) {
		r->contrasts.pc = random_next() % 65536;
		r->contrasts.cache = random_next() % (BIN_CACHES + 1);
		r->contrasts.is_bin = random_next() % 2;
		r->contrasts.sums[0][random_next() % STRETCH_CONTRASTS] = (int64_t)random_next();
		choose_data(&r->contrasts.data);
	} else if (type == RECORD_PATTERN) {
		choose_data(&r->pattern.data);
		r->pattern.pattern.accesses = random_next() % 1000;
		r->pattern.pattern.known = r->pattern.pattern.words = random_next() % 1000;
		r->pattern.pattern.usual = r->pattern.pattern.to_self = random_next() % 500;
		r->pattern.pattern.steps[random_next() % 4].bytes = random_next() % 64;
	} else if (type == RECORD_SITE_COUNTS) {
		r->counts.id = 1 + (uint32_t)random_next() % 16;
		r->counts.blocks = random_next() >> 40;
	}
	ring_commit(&f->ring, bytes);
}

static void damage(struct fuzz *f)
{
	uint64_t r = random_next();

	switch (r % 9) {
	case 0:
		f->ring.slot->write_pos = random_next() >> (r >> 58);
		break;
	case 1:
		f->ring.slot->read_pos = random_next() >> (r >> 58);
		break;
	case 2:
		f->ring.slot->state = (uint32_t)(r >> 32) % 6;
		break;
	case 3:
		memset(f->ring.data + r / 8 % (RING_BYTES - 64), (int)(r >> 40), 64);
		break;
	case 4: /* what it counts */
		memset((char *)&f->ring.slot->counters +
			       (r >> 8) % (sizeof(f->ring.slot->counters) - 8),
		       (int)(r >> 40), 8);
		break;
	default: /* a byte or so among what was not read yet */
		f->ring.data[(f->ring.slot->read_pos + (r >> 8) % 256) & (RING_BYTES - 1)] ^=
			(uint8_t)(1u << (r >> 32) % 8);
		break;
	}
}

static void round_of_nonsense(struct fuzz *f)
{
	static uint64_t now_ns = 1;
	unsigned i, count = (unsigned)(random_next() % 24);

	ring_of_slot(&f->ring, f->host.header, f->host.slot_bytes, f->host.ring_bytes,
		     (uint32_t)(random_next() % SLOTS));
	f->ring.slot->pid = (uint32_t)getpid();
	f->ring.slot->state = CHANNEL_SLOT_LIVE;
	write_record(f, RECORD_PROCESS);
	for (i = 0; i < count; i++)
		write_record(f, choose_type(f));
	if (random_next() % 4 != 0)
		damage(f);
	slots_drain(&f->slots);
	if (random_next() % 8 == 0)
		slots_check(&f->slots);
	if (random_next() % 512 == 0)
		recorder_step(f->recorder, now_ns += 1000000000u);
	if (random_next() % 4 == 0)
		f->ring.slot->state = CHANNEL_SLOT_ENDED;
	slots_drain(&f->slots);
}

#ifdef FUZZ_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz f;
	static int is_ready;

	if (!is_ready && set_up(&f, "/tmp/fuzz_ring.db", 0) != 0)
		abort();
	is_ready = 1;
	if (size > RING_BYTES)
		size = RING_BYTES;
	ring_of_slot(&f.ring, f.host.header, f.host.slot_bytes, f.host.ring_bytes, 0);
	f.ring.slot->pid = (uint32_t)getpid();
	f.ring.slot->read_pos = 0;
	memcpy(f.ring.data, data, size);
	f.ring.slot->write_pos = size & ~(size_t)7;
	f.ring.slot->state = CHANNEL_SLOT_LIVE;
	slots_drain(&f.slots);
	f.ring.slot->state = CHANNEL_SLOT_ENDED;
	slots_drain(&f.slots);
	return 0;
}
#else
int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000, i;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	char folder[] = "/tmp/dwell-fuzz-XXXXXX", path[64], command[64];
	uint64_t records = 0, gone = 0;
	struct fuzz f;

	if (mkdtemp(folder) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/fuzz.db", folder);
	random_state = seed * 0x9e3779b97f4a7c15ull | 1;
	for (i = 0; i < rounds; i++) {
		if (i % RUN_ROUNDS == 0 && set_up(&f, path, i / RUN_ROUNDS) != 0)
			return 1;
		round_of_nonsense(&f);
		if (i % RUN_ROUNDS == RUN_ROUNDS - 1 || i + 1 == rounds) {
			records += f.records;
			gone += f.gone;
			if (recorder_failed(f.recorder) != NULL) {
				fprintf(stderr, "fuzz_ring: %s\n",
					recorder_failed(f.recorder)->text);
				return 1;
			}
			if (tear_down(&f) != 0)
				return 1;
			unlink(path);
		}
	}
	printf("%" PRIu64 " rounds, %" PRIu64 " records taken, %" PRIu64 " processes\n", rounds,
	       records, gone);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) == 0 && records > rounds ? 0 : 1;
}
#endif
