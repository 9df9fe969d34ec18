/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table meta of a run; see meta.h. */
#include "collector/meta.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/text.h"
#include "collector/target/machine.h"

#ifndef DWELL_VERSION
#define DWELL_VERSION "0"
#endif

static void add_command(struct text *t, char *const *command)
{
	for (; *command != NULL; command++) {
		if (t->count > 0)
			text_add(t, " ");
		text_add(t, *command);
	}
}

static const char *mode_name(uint32_t mode)
{
#define NAME(id, name, number) [number] = #name,
	static const char *const names[] = {CHANNEL_MODES(NAME)};
#undef NAME

	return mode < sizeof(names) / sizeof(*names) && names[mode] ? names[mode] : "unknown";
}

static int put_text(struct store *s, const char *key, const char *text, struct err *err)
{
	return store_put_meta_text(s, key, text, err);
}

static int put_int(struct store *s, const char *key, uint64_t value, struct err *err)
{
	return store_put_meta_int(s, key, (int64_t)value, err);
}

/* Store the names, with commas between them. */
static int put_toggles(struct store *s, const struct channel_config *c, struct err *err)
{
	const char *name = c->toggles;
	struct text names = {0};
	int status;

	for (uint32_t i = 0; i < c->toggle_count; i++, name += strlen(name) + 1)
		text_addf(&names, "%s%s", i > 0 ? ", " : "", name);
	status = put_text(s, "toggle_collect", text_get(&names), err);
	text_release(&names);
	return status;
}

/* Store when sampling is on, as far as the user chose it. */
static int put_control(struct store *s, const struct channel_config *c, struct err *err)
{
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{"delay_ns", c->delay_ns},	   {"duration_ns", c->duration_ns},
		{"wait_for_mark", c->start_off},   {"doubling_windows", c->doubling_windows},
		{"overhead_ppm", c->overhead_ppm},
	};
	int bad = 0;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i].value != 0)
			bad |= put_int(s, numbers[i].key, numbers[i].value, err);
	}
	if (c->start_at[0] != '\0')
		bad |= put_text(s, "start_at", c->start_at, err);
	if (c->stop_at[0] != '\0')
		bad |= put_text(s, "stop_at", c->stop_at, err);
	if (c->toggle_count != 0)
		bad |= put_toggles(s, c, err);
	return bad;
}

int meta_put_start(struct store *s, const struct collector_options *o, struct err *err)
{
	const struct channel_config *c = &o->config;
	struct text command = {0};
	struct machine m;
	int bad = 0;

	machine_read(&m);
	add_command(&command, o->command);
	bad |= put_text(s, "version", DWELL_VERSION, err);
	bad |= put_text(s, "command", text_get(&command), err);
	bad |= put_text(s, "host", m.host, err);
	bad |= put_text(s, "cpu", m.cpu, err);
	bad |= put_int(s, "start_time", (uint64_t)time(NULL), err);
	bad |= put_text(s, "mode", mode_name(c->mode), err);
	bad |= put_int(s, "seed", c->seed, err);
	bad |= put_int(s, "line_bytes", c->line_bytes, err);
	bad |= put_int(s, "nested_one_in", c->nested_one_in, err);
	bad |= put_int(s, "duty_ppm", c->duty_ppm, err);
	bad |= put_int(s, "sample_period", c->sample_period, err);
	if (c->sample_ppm != 0)
		bad |= put_int(s, "sample_ppm", c->sample_ppm, err);
	bad |= put_int(s, "l1d_bytes", m.cache_bytes[1], err);
	bad |= put_int(s, "l2_bytes", m.cache_bytes[2], err);
	bad |= put_int(s, "l3_bytes", m.cache_bytes[3], err);
	if (bad == 0)
		bad = put_control(s, c, err);
	text_release(&command);
	return bad;
}

/* The exit status as shells report it: the exit code, or 128 plus the signal. */
static uint64_t shell_status(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		return 128 + (uint64_t)WTERMSIG(wait_status);
	return (uint64_t)WEXITSTATUS(wait_status);
}

int meta_put_end(struct store *s, const struct collector_result *r, const struct meta_end *end,
		 struct err *err)
{
	int bad = 0;

	bad |= put_int(s, "wall_ns", end->wall_ns, err);
	bad |= put_int(s, "target_cpu_ns", end->target_cpu_ns, err);
	bad |= put_int(s, "collector_cpu_ns", end->collector_cpu_ns, err);
	if (end->tsc_hz > 0)
		bad |= put_int(s, "tsc_hz", end->tsc_hz, err);
	if (r->has_run)
		bad |= put_int(s, "exit_status", shell_status(r->wait_status), err);
	if (r->has_run && WIFSIGNALED(r->wait_status))
		bad |= put_int(s, "exit_signal", (uint64_t)WTERMSIG(r->wait_status), err);
	bad |= put_int(s, "lost_processes", r->lost_processes, err);
	bad |= put_int(s, "native_programs", r->native_programs, err);
	if (end->has_budget) {
		bad |= put_int(s, "counting_ns", r->counting_ns, err);
		bad |= put_int(s, "sampling_ns", r->sampling_ns, err);
	}
	return bad;
}
