/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes Callgrind's format: a header, and for each function the costs of its positions, its calls
 * and its jumps. A name is written once, then replaced by its number. Positions are relative to the
 * last cost's, as in Callgrind. callgrind_lines.c provides the lines in order.
 */
#include "export/formats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "export/callgrind_lines.h"

#define NEAR   100 /* positions within this distance of the last one are written as differences */
#define DIGITS 24

struct names {
	struct map numbers; /* by address of the string: the store has each string once */
};

struct writing {
	const struct export_data *d;
	const struct export_columns *columns;
	const struct lines *lines;
	struct text *out;
	bool *used; /* by measured event: is in the file */
	struct names files, functions, objects;
	bool addresses;
	bool failed;
	/* The values that the last lines set. */
	const char *file, *object;
	bool has_object;
	uint64_t address;
	uint32_t line;
};

/* ---- Pieces of lines ---- */

static void add_number(struct text *out, uint64_t n, char end)
{
	char digits[DIGITS];
	size_t at = sizeof(digits);

	digits[--at] = end;
	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	text_add_bytes(out, digits + at, sizeof(digits) - at);
}

/* Write an event's name as a single word. */
static void add_word(struct text *out, const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	for (; *name != '\0'; name++)
		text_add_bytes(out, strchr(letters, *name) != NULL ? name : "_", 1);
}

/*
 * Write "fn=(3) main", later "fn=(3)". The name must not contain line ends, or look like a number.
 */
static void add_name(struct writing *w, const char *what, struct names *names, const char *name)
{
	uint64_t number;

	if (name == NULL || name[strspn(name, " ")] == '\0')
		name = "???";
	text_add(w->out, what);
	if (map_get(&names->numbers, (uintptr_t)name, &number)) {
		text_add(w->out, "(");
		add_number(w->out, number, ')');
		text_add(w->out, "\n");
		return;
	}
	number = names->numbers.count + 1;
	if (map_set(&names->numbers, (uintptr_t)name, number) != 0)
		w->failed = true;
	text_add(w->out, "(");
	add_number(w->out, number, ')');
	text_add(w->out, " ");
	text_add_printable(w->out, name, strlen(name));
	text_add(w->out, "\n");
}

static void add_relative(struct text *out, uint64_t n, uint64_t last, bool hexadecimal)
{
	if (n == last) {
		text_add(out, "* ");
	} else if (n > last && n - last < NEAR) {
		text_add(out, "+");
		add_number(out, n - last, ' ');
	} else if (n < last && last - n < NEAR) {
		text_add(out, "-");
		add_number(out, last - n, ' ');
	} else if (hexadecimal) {
		text_addf(out, "0x%" PRIx64 " ", n);
	} else {
		add_number(out, n, ' ');
	}
}

static void add_position(struct writing *w, uint64_t address, uint32_t line)
{
	if (w->addresses)
		add_relative(w->out, address, w->address, true);
	add_relative(w->out, line, w->line, false);
}

/* Write the position of the line's costs, or of its call or jump. */
static void add_here(struct writing *w, const struct line *l)
{
	add_position(w, l->address, l->place.line);
	w->address = l->address;
	w->line = l->place.line;
}

/* Write the values of the file's events, without trailing zeros, but at least one number. */
static void add_values(struct writing *w, const uint64_t *values)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < w->d->columns; i++)
		if (w->used[i] && (last == SIZE_MAX || values[i] != 0))
			last = i;
	for (size_t i = 0; last != SIZE_MAX && i <= last; i++)
		if (w->used[i])
			add_number(w->out, values[i], i == last ? '\n' : ' ');
}

/* ---- The header ---- */

/* Tell whether the format can express the column: a sum of events, each times a whole number. */
static bool has_words(const struct export_data *d, const struct export_column *c)
{
	if (c->is_measured)
		return true;
	for (size_t i = 0; i < d->columns; i++)
		if (c->factors == NULL || c->factors[i] != rint(c->factors[i]) ||
		    fabs(c->factors[i]) > INT32_MAX)
			return false;
	return true;
}

/* Choose the requested events, and those that are parts of derived ones. */
static void choose_events(struct writing *w, struct text *notes)
{
	for (size_t i = 0; i < w->columns->count; i++) {
		const struct export_column *c = &w->columns->items[i];

		if (!has_words(w->d, c))
			text_addf(notes,
				  "event %s is left out: Callgrind's format has derived events as "
				  "sums of others, each times a whole number\n",
				  c->name);
		else if (c->is_measured)
			w->used[c->index] = true;
		for (size_t k = 0; !c->is_measured && has_words(w->d, c) && k < w->d->columns; k++)
			w->used[k] = w->used[k] || c->factors[k] != 0;
	}
}

static void add_formula(struct writing *w, const struct export_column *c)
{
	size_t terms = 0;

	text_add(w->out, "event: ");
	add_word(w->out, c->name);
	text_add(w->out, " =");
	for (size_t i = 0; i < w->d->columns; i++) {
		double factor = c->factors[i];

		if (factor == 0)
			continue;
		text_add(w->out, factor < 0 ? " - " : terms > 0 ? " + " : " ");
		if (fabs(factor) != 1)
			text_addf(w->out, "%.0f ", fabs(factor));
		add_word(w->out, w->d->p.columns[i].name);
		terms++;
	}
}

static void add_event(struct writing *w, const struct export_column *c)
{
	if (!has_words(w->d, c) || (c->is_measured && c->title == NULL))
		return;
	if (c->is_measured) {
		text_add(w->out, "event: ");
		add_word(w->out, c->name);
	} else {
		add_formula(w, c);
	}
	if (c->title != NULL) {
		text_add(w->out, " : ");
		text_add_printable(w->out, c->title, strlen(c->title));
	}
	text_add(w->out, "\n");
}

static void add_events(struct writing *w)
{
	for (size_t i = 0; i < w->columns->count; i++)
		add_event(w, &w->columns->items[i]);
	text_add(w->out, "events:");
	for (size_t i = 0; i < w->d->columns; i++)
		if (w->used[i]) {
			text_add(w->out, " ");
			add_word(w->out, w->d->p.columns[i].name);
		}
	text_add(w->out, "\n");
}

static void add_header(struct writing *w, size_t part)
{
	const struct export_part *p = &w->lines->functions.parts[part];
	const char *command = w->lines->apart ? p->process->command : w->d->command;
	struct text *out = w->out;

	text_addf(out, "pid: %" PRIu32 "\n", p->process->pid);
	text_add(out, "cmd: ");
	text_add_printable(out, command, strlen(command));
	text_addf(out, "\npart: %zu\n", part + 1);
	if (p->thread != STORE_NONE)
		text_addf(out, "thread: %" PRId64 "\n", p->thread + w->lines->first_thread);
	text_add(out, "\n");
	for (size_t i = 0; i < w->d->geometry_count; i++) {
		text_add(out, "desc: ");
		add_word(out, w->d->geometry[i].name);
		text_add(out, ": ");
		text_add_printable(out, w->d->geometry[i].value, strlen(w->d->geometry[i].value));
		text_add(out, "\n");
	}
	if (w->d->is_sampled)
		text_add(out,
			 "desc: Sampled: counts are estimates; calls are not counted (calls=1)\n");
	text_addf(out, "\npositions:%s line\n", w->addresses ? " instr" : "");
	add_events(w);
	text_add(out, "summary: ");
	add_values(w, w->lines->totals[part]);
	text_add(out, "\n");
}

/* ---- The body ---- */

/*
 * Set the file of the next lines: "fe" for the function's own, "fi" for one of an inlined function.
 */
static void go_to_file(struct writing *w, const struct export_function *f, const char *file)
{
	if (file == w->file)
		return;
	add_name(w, file == f->name->file ? "fe=" : "fi=", &w->files, file);
	w->file = file;
}

static void begin_function(struct writing *w, const struct export_function *f)
{
	text_add(w->out, "\n");
	if (!w->has_object || f->name->object != w->object)
		add_name(w, "ob=", &w->objects, f->name->object);
	w->object = f->name->object;
	w->has_object = true;
	add_name(w, "fl=", &w->files, f->name->file);
	w->file = f->name->file;
	add_name(w, "fn=", &w->functions, f->name->function);
}

static void add_call(struct writing *w, const struct export_function *f, const struct line *l)
{
	const struct export_function *to = &w->lines->functions.items[l->callee];

	if (to->name->object != f->name->object)
		add_name(w, "cob=", &w->objects, to->name->object);
	/*
	 * Omitted for the current file: callgrind_annotate does not know its short name otherwise.
	 */
	if (to->name->file != w->file)
		add_name(w, "cfi=", &w->files, to->name->file);
	add_name(w, "cfn=", &w->functions, to->name->function);
	text_add(w->out, "calls=");
	/* With no calls, callgrind_annotate takes their cost for the function's own. */
	add_number(w->out, w->d->is_sampled ? 1 : l->count, ' ');
	add_position(w, to->entry, to->line);
	text_add(w->out, "\n");
	add_here(w, l);
	add_values(w, l->values);
}

static void add_jump(struct writing *w, const struct line *l)
{
	if (l->to_place.file != w->file)
		add_name(w, "jfi=", &w->files, l->to_place.file);
	if (l->kind == LINE_BRANCH)
		text_addf(w->out, "jcnd=%" PRIu64 "/%" PRIu64 " ", l->taken, l->count);
	else
		text_addf(w->out, "jump=%" PRIu64 " ", l->count);
	add_position(w, l->to_address, l->to_place.line);
	text_add(w->out, "\n");
	add_here(w, l);
	text_add(w->out, "\n");
}

static void add_line(struct writing *w, const struct line *l)
{
	const struct export_function *f = &w->lines->functions.items[l->function];

	go_to_file(w, f, l->place.file);
	switch (l->kind) {
	case LINE_COST:
		add_here(w, l);
		add_values(w, l->values);
		break;
	case LINE_CALL:
		add_call(w, f, l);
		break;
	case LINE_JUMP:
	case LINE_BRANCH:
		add_jump(w, l);
		break;
	}
}

/* Each part is read as a separate file, so names start again. */
static void begin_part(struct writing *w, size_t part)
{
	map_release(&w->files.numbers);
	map_release(&w->functions.numbers);
	map_release(&w->objects.numbers);
	w->file = w->object = NULL;
	w->has_object = false;
	w->address = w->line = 0;
	add_header(w, part);
}

static void end_part(struct writing *w, size_t part)
{
	text_add(w->out, "\ntotals: ");
	add_values(w, w->lines->totals[part]);
	text_add(w->out, "\n");
}

int export_callgrind(struct export_job *j, struct err *err)
{
	struct text *out = &j->out;
	bool used[STORE_MAX_COLUMNS] = {0};
	struct lines lines;
	struct writing w = {
		.d = &j->data, .columns = &j->columns, .lines = &lines, .out = out, .used = used};
	size_t at = 0;

	if (lines_init(&lines, &j->data, j->apart, err) != 0)
		return -1;
	choose_events(&w, &j->notes);
	w.addresses = export_has_addresses(&j->data);
	text_add(out, "# callgrind format\nversion: 1\ncreator: dwell-" DWELL_VERSION "\n");
	for (size_t part = 0; part < lines.functions.part_count; part++) {
		begin_part(&w, part);
		for (; at < lines.count; at++) {
			const struct line *l = &lines.items[at];

			if (lines.functions.items[l->function].part != part)
				break;
			if (at == 0 || l->function != lines.items[at - 1].function)
				begin_function(&w, &lines.functions.items[l->function]);
			add_line(&w, l);
		}
		end_part(&w, part);
	}
	map_release(&w.files.numbers);
	map_release(&w.functions.numbers);
	map_release(&w.objects.numbers);
	lines_release(&lines);
	return w.failed || out->failed ? err_set(err, "not enough memory for the file") : 0;
}
