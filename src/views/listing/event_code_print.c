/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Annotated machine code of an event profile as text, CSV and JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/event_list.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/text.h"
#include "events/event_code.h"
#include "events/event_object.h"
#include "views/counted/counted.h"
#include "views/event_figures.h"
#include "views/fit.h"
#include "views/listing/event_gutter.h"
#include "views/listing/jump_arrows.h"
#include "views/listing/source.h"
#include "views/views.h"

#define ADDRESS_WIDTH 10
#define CODE_WIDTH    44 /* width of the instruction, if something follows */
#define MOST_CODE     72 /* width of a line of source, if no width is known */

struct printing {
	const struct event_listing *l;
	unsigned lanes; /* of the arrows */
	const struct display *d;
	struct text *out, *notes;
	struct event_gutter gutter;
	/* The current source file, whose lines are between the instructions. */
	struct source source;
	const char *source_file;
	const char *file; /* file of the last line that was shown */
	uint32_t line;
};

/* ---- Text ---- */

/* Put the arrows on a row without an instruction: those that pass the next one. */
static void put_margin(const struct printing *p)
{
	event_gutter_row(&p->gutter, NULL, p->out);
	text_add(p->out, "  ");
	text_addf(p->out, "%*s", (int)(p->lanes + 2), "");
}

static const char *find_source(struct printing *p, const char *file, uint32_t line)
{
	if (file == NULL)
		return NULL;
	if (p->source_file == NULL || strcmp(p->source_file, file) != 0) {
		source_release(&p->source);
		p->source_file = file;
		if (source_load(&p->source, p->l->a->p->store, file, NULL, NULL) == 0)
			source_note_change(&p->source, p->l->a->p->store, file, p->notes);
	}
	return source_line(&p->source, line);
}

/* Put the source line of the following instructions, if it changes. */
static void put_source(struct printing *p, const struct event_line *line)
{
	struct display room = {.width = MOST_CODE};
	const char *code;
	size_t used;

	if (line->line == 0 || (line->line == p->line && p->file != NULL && line->file != NULL &&
				strcmp(line->file, p->file) == 0))
		return;
	p->line = line->line;
	p->file = line->file;
	put_margin(p);
	fit_add(p->out, line->file != NULL ? path_basename(line->file) : "?", p->d);
	text_addf(p->out, ":%" PRIu32 "  ", line->line);
	code = find_source(p, line->file, line->line);
	if (code != NULL)
		code += strspn(code, " \t");
	used = fit_width(strrchr(text_get(p->out), '\n') + 1);
	if (p->d->width > 0)
		room.width = p->d->width > used ? p->d->width : (unsigned)used + 1;
	source_put_code(p->out, code != NULL ? code : "", p->d->width > 0 ? used : 0, &room);
}

static void put_jumps(const struct printing *p, const struct event_instruction *i)
{
	char figures[2][FIGURE_BYTES];

	if (i->executed > 0)
		text_addf(p->out, "  taken %s of %s", event_figure((double)i->taken, figures[0]),
			  event_figure((double)i->executed, figures[1]));
}

static void put_calls(const struct printing *p, const struct event_line *line)
{
	size_t indent = p->lanes + 4;

	event_gutter_row(&p->gutter, line, p->out);
	text_addf(p->out, "%*s", (int)indent, "");
	event_gutter_call(line, event_gutter_width(&p->gutter) + indent, p->d, p->out);
}

static void put_instruction(struct printing *p, size_t row)
{
	const struct event_instruction *i = &p->l->items[row];
	const struct event_line *lines = p->l->a->lines, *own = NULL;
	size_t k;

	if (i->is_gap) {
		put_margin(p);
		text_add(p->out, "...\n");
		return;
	}
	if (i->first < i->end) {
		put_source(p, &lines[i->first]);
		if (lines[i->first].callee == NULL)
			own = &lines[i->first];
	}
	event_gutter_row(&p->gutter, own, p->out);
	text_add(p->out, "  ");
	jump_arrows_put(p->l->arrows, p->l->arrow_count, p->lanes, row, p->d->unicode, p->out);
	text_addf(p->out, "%*" PRIx64 "  %-*s", ADDRESS_WIDTH, i->address, CODE_WIDTH,
		  i->text[0] != '\0' ? i->text : "?");
	put_jumps(p, i);
	while (p->out->count > 0 && p->out->items[p->out->count - 1] == ' ')
		p->out->items[--p->out->count] = '\0';
	text_add(p->out, "\n");
	for (k = i->first; k < i->end; k++) {
		if (lines[k].callee != NULL)
			put_calls(p, &lines[k]);
	}
}

static void put_listing(struct printing *p)
{
	const struct event_annotation *a = p->l->a;
	const char *object = a->lines[p->l->first].object;
	size_t k;

	event_gutter_init(&p->gutter, a, p->l->first, p->l->end, p->d, ADDRESS_WIDTH + 16);
	fit_add(p->out, object != NULL ? object : "[no address known]", p->d);
	text_add(p->out, "\n");
	event_gutter_heading(&p->gutter, p->d, p->out);
	text_addf(p->out, "  %*s%*s  CODE\n", (int)(p->lanes + 2), "", ADDRESS_WIDTH, "ADDRESS");
	for (k = 0; k < p->l->count; k++)
		put_instruction(p, k);
	source_release(&p->source);
}

int event_code_text(const struct event_annotation *a, const struct display *d, struct text *out,
		    struct text *notes, struct err *err)
{
	struct printing p = {.d = d, .out = out, .notes = notes};
	struct store_jump *jumps;
	size_t first, jump_count;
	int status = 0;

	if (store_read_jumps(a->p->store, a->p->process, &jumps, &jump_count, err) != 0)
		return -1;
	jump_count = events_keep_jumps(a->p, jumps, jump_count);
	event_heading(a->p, a->columns, "Events by instruction", d, out);
	for (first = 0; first < a->count && status == 0;) {
		struct event_listing l;

		status = event_listing_init(&l, a, first, jumps, jump_count, notes, err);
		if (status != 0)
			break;
		if (first > 0)
			text_add(out, "\n");
		p = (struct printing){.l = &l,
				      .lanes = jump_arrows_place(l.arrows, l.arrow_count),
				      .d = d,
				      .out = out,
				      .notes = notes};
		put_listing(&p);
		first = l.end;
		event_listing_release(&l);
	}
	free(jumps);
	event_more_columns(a->p, a->columns, p.gutter.shown, d, out);
	return status;
}

/* ---- CSV, JSON: the instructions with events, and their text ---- */

struct row {
	struct event_cells events;
	struct event_line x;
	const char *instruction;
	size_t number; /* of the line in the annotation */
};

enum { OBJECT, ADDRESS, INSTRUCTION, FILE_OF, LINE, CALLEE, CALLS };

#define MEMBER(member) COLUMN_MEMBER(struct row, member)

static const struct column columns[] = {
	[OBJECT] = {NULL, "object", UNIT_TEXT, MEMBER(x.object)},
	[ADDRESS] = {NULL, "address", UNIT_ADDRESS, MEMBER(x.address)},
	[INSTRUCTION] = {NULL, "instruction", UNIT_TEXT, MEMBER(instruction)},
	[FILE_OF] = {NULL, "file", UNIT_TEXT, MEMBER(x.file)},
	[LINE] = {NULL, "line", UNIT_NUMBER, MEMBER(x.line)},
	[CALLEE] = {NULL, "callee", UNIT_TEXT, MEMBER(x.callee)},
	[CALLS] = {NULL, "calls", UNIT_NUMBER, MEMBER(x.calls)},
};

#define C(column)	    (&columns[column])
#define INSTRUCTION_COLUMNS C(OBJECT), C(ADDRESS), C(INSTRUCTION), C(FILE_OF), C(LINE)
#define CALL_COLUMNS	    C(CALLEE), C(CALLS)

typedef void row_function(void *context, const struct row *row);

static void each_row(const struct event_annotation *a, row_function *take, void *context)
{
	struct machine_code *m = NULL;
	const char *object = NULL;

	for (size_t i = 0; i < a->count; i++) {
		const struct event_line *line = &a->lines[i];
		char text[MACHINE_CODE_TEXT] = "";
		const struct row row = {{a->p, line->values, NULL}, *line, text, i};

		if (line->object != object) {
			machine_code_close(m);
			object = line->object;
			m = object != NULL ? event_object_open(a->p, object, NULL) : NULL;
		}
		if (m != NULL)
			machine_code_at(m, line->address, text);
		take(context, &row);
	}
	machine_code_close(m);
}

struct csv {
	const struct column_list *columns;
	struct text *out;
};

static void csv_row(void *context, const struct row *row)
{
	const struct csv *csv = context;

	columns_csv_row(csv->columns, row, csv->out);
}

void event_code_csv(const struct event_annotation *a, struct text *out)
{
	static const struct shown fixed[] = {{C(OBJECT)},  {C(ADDRESS)}, {C(INSTRUCTION)},
					     {C(FILE_OF)}, {C(LINE)},	 {C(CALLEE)},
					     {C(CALLS)}};
	struct event_made made = {.count = 0};
	struct rows r = {0};
	struct column_list list;
	struct csv csv = {&list, out};

	ROWS_SHOW(&r, fixed, 0);
	event_made_show_all(&made, a->p, a->columns, IN_CSV, &r);
	list = rows_list(&r.csv);
	columns_csv_head(&list, out);
	each_row(a, csv_row, &csv);
}

struct json {
	const struct event_columns *columns;
	const struct code_data *data; /* or NULL */
	json_t *list;
};

static void json_row(void *context, const struct row *row)
{
	const struct json *json = context;
	json_t *o =
		columns_json(row->x.callee != NULL ? COLUMN_LIST(INSTRUCTION_COLUMNS, CALL_COLUMNS)
						   : COLUMN_LIST(INSTRUCTION_COLUMNS),
			     row);

	json_object_set_new(o, "events",
			    event_list_json(row->events.p, json->columns, row->x.values));
	if (json->data != NULL && row->x.callee == NULL)
		json_object_set_new(o, "data", code_data_json(json->data, row->number));
	json_array_append_new(json->list, o);
}

int event_code_json(const struct event_annotation *a, const struct code_data *data,
		    struct text *out, struct err *err)
{
	struct json json = {a->columns, data, json_array()};

	json_t *root = json_pack("{s:o}", "instructions", json.list);

	each_row(a, json_row, &json);
	if (data != NULL)
		json_object_set_new(root, "data_known", counted_how_json(data->names.profile));
	return json_print(root, out, err);
}
