/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses defaults, the environment, and the command line, each overriding the previous one. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "options/option.h"
#include "options/suggest.h"
#include "options/value.h"

/* The command, the current source, and the variables for values. */
struct parser {
	const struct option_table *table;
	const struct option_command *command;
	enum option_source source;
	void *into;
	struct option_state *state;
	struct err *err;
};

const struct option_use *option_use_of(const struct option_command *c, int id)
{
	for (const struct option_use *u = c->uses; u->id != 0; u++)
		if (u->id == id)
			return u;
	return NULL;
}

const char *const *option_choices(const struct option_table *t, const struct option_use *u)
{
	return u->choices != NULL ? u->choices : t->rows[u->id].choices;
}

bool option_given(const struct option_state *s, int id)
{
	return s->source[id] == OPTION_BY_USER;
}

bool option_set(const struct option_state *s, int id)
{
	return s->source[id] >= OPTION_BY_ENVIRONMENT;
}

int option_first(const struct option_state *s, const int *ids)
{
	int first = 0;

	for (; *ids != 0; ids++)
		if (option_given(s, *ids) && (first == 0 || s->order[*ids] < s->order[first]))
			first = *ids;
	return first;
}

/* ---- Names ---- */

/*
 * Tell whether the option is known. The environment is for all commands, so there all options are.
 */
static bool is_known(const struct parser *p, int id)
{
	return p->table->rows[id].name != NULL &&
	       (p->source == OPTION_BY_ENVIRONMENT || option_use_of(p->command, id) != NULL);
}

/* Tell whether other commands take the option. */
static bool is_of_others(const struct parser *p, const char *word)
{
	for (size_t i = 1; i < p->table->count; i++)
		if (p->table->rows[i].name != NULL && strcmp(p->table->rows[i].name, word) == 0)
			return true;
	return false;
}

static int fail_unknown(const struct parser *p, const char *dashes, const char *name, size_t bytes)
{
	struct suggestion s;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)(bytes < 60 ? bytes : 60), name);
	suggest_begin(&s, word);
	for (size_t i = 1; dashes[1] != '\0' && i < p->table->count; i++)
		if (is_known(p, (int)i))
			suggest_try(&s, p->table->rows[i].name);
	if (dashes[1] != '\0' && p->source == OPTION_BY_USER && is_of_others(p, word))
		err_set(p->err, "'%s%s' is no option of 'dwell %s': 'dwell %s --help' lists them",
			dashes, word, p->command->name, p->command->name);
	else if (s.best != NULL)
		err_set(p->err, "'%s%s' is no option: did you mean '--%s'?", dashes, word, s.best);
	else if (p->source == OPTION_BY_ENVIRONMENT)
		err_set(p->err, "'%s%s' is no option", dashes, word);
	else
		err_set(p->err, "'%s%s' is no option: 'dwell %s --help' lists them", dashes, word,
			p->command->name);
	return 0;
}

/* The row with this old name; 0: none. */
static int find_earlier(const struct parser *p, const char *name, size_t bytes)
{
	for (int id = 1; id < (int)p->table->count; id++) {
		const char *earlier = p->table->rows[id].earlier;

		if (is_known(p, id) && earlier != NULL && strlen(earlier) == bytes &&
		    strncmp(earlier, name, bytes) == 0)
			return id;
	}
	return 0;
}

/* The row of a long name, or of an unambiguous prefix. Returns 0 with *err if there is none. */
static int find_long(const struct parser *p, const char *name, size_t bytes)
{
	int found = find_earlier(p, name, bytes);

	if (found != 0)
		return found;
	for (int id = 1; id < (int)p->table->count; id++) {
		const char *row = p->table->rows[id].name;

		if (!is_known(p, id) || strncmp(row, name, bytes) != 0)
			continue;
		if (row[bytes] == '\0')
			return id;
		if (found != 0) {
			err_set(p->err, "'--%.*s' may be --%s or --%s", (int)bytes, name,
				p->table->rows[found].name, row);
			found = -1;
			break;
		}
		found = id;
	}
	if (found == -1) /* unless another option has exactly this name */
		for (int id = 1; id < (int)p->table->count; id++)
			if (is_known(p, id) && strlen(p->table->rows[id].name) == bytes &&
			    strncmp(p->table->rows[id].name, name, bytes) == 0)
				return id;
	if (found == 0)
		return fail_unknown(p, "--", name, bytes);
	return found > 0 ? found : 0;
}

static int find_letter(const struct parser *p, const char *letter)
{
	for (int id = 1; id < (int)p->table->count; id++)
		if (p->table->rows[id].letter == *letter && is_known(p, id))
			return id;
	return fail_unknown(p, "-", letter, 1);
}

/* ---- A value ---- */

static int take(struct parser *p, int id, const char *text)
{
	const struct option_row *row = &p->table->rows[id];
	const struct option_use *use = option_use_of(p->command, id);
	struct option_state *s = p->state;

	if (use == NULL)
		return 0; /* option of another command */
	if (s->source[id] < p->source)
		option_value_clear(row, p->into);
	if (option_value_take(row, use, text, p->into, p->err) != 0)
		return -1;
	s->source[id] = (unsigned char)p->source;
	if (p->source == OPTION_BY_USER && s->order[id] == 0)
		s->order[id] = ++s->given;
	return 0;
}

static int take_long(struct parser *p, const char *word, char ***next)
{
	const char *equals = strchr(word, '=');
	size_t bytes = equals != NULL ? (size_t)(equals - word) : strlen(word);
	int id = find_long(p, word, bytes);
	const struct option_row *row = &p->table->rows[id];

	if (id == 0)
		return -1;
	if (row->argument == NULL && equals != NULL)
		return err_set(p->err, "'--%s' takes no value", row->name);
	if (row->argument == NULL)
		return take(p, id, NULL);
	if (equals != NULL)
		return take(p, id, equals + 1);
	if (row->bare != NULL)
		return take(p, id, row->bare);
	if (**next == NULL)
		return err_set(p->err, "'--%s' lacks its value: --%s %s", row->name, row->name,
			       row->argument);
	return take(p, id, *(*next)++);
}

static int take_letters(struct parser *p, const char *word, char ***next)
{
	for (; *word != '\0'; word++) {
		int id = find_letter(p, word);
		const struct option_row *row = &p->table->rows[id];

		if (id == 0)
			return -1;
		if (row->argument == NULL && take(p, id, NULL) != 0)
			return -1;
		if (row->argument == NULL)
			continue;
		if (word[1] != '\0')
			return take(p, id, word + 1);
		if (**next == NULL)
			return err_set(p->err, "'-%c' lacks its value: -%c %s", row->letter,
				       row->letter, row->argument);
		return take(p, id, *(*next)++);
	}
	return 0;
}

/* Take options, and move other words to the front. `next` ends with NULL. */
static int take_words(struct parser *p, char **next, char **words, int *count)
{
	*count = 0;
	while (*next != NULL) {
		char *word = *next++;
		int status;

		if (word[0] != '-' || word[1] == '\0') {
			words[(*count)++] = word;
			if (!p->command->runs_a_command || p->source != OPTION_BY_USER)
				continue;
			status = 0;
		} else if (strcmp(word, "--") == 0) {
			status = 0;
		} else {
			status = word[1] == '-' ? take_long(p, word + 2, &next)
						: take_letters(p, word + 1, &next);
			if (status != 0)
				return -1;
			continue;
		}
		while (*next != NULL)
			words[(*count)++] = *next++;
	}
	words[*count] = NULL;
	return 0;
}

/* ---- The environment ---- */

/* Split in place, like a shell: blanks separate words, quotes and backslashes protect them. */
static int split(char *text, char **words, size_t room, struct err *err)
{
	size_t count = 0;
	char *from = text, *to = text, quote;

	for (;;) {
		while (isspace((unsigned char)*from))
			from++;
		if (*from == '\0')
			break;
		if (count + 1 == room)
			return err_set(err, "more than %zu words", room - 1);
		words[count++] = to;
		for (quote = '\0';
		     *from != '\0' && (quote != '\0' || !isspace((unsigned char)*from)); from++) {
			if (quote != '\0' ? *from == quote : *from == '\'' || *from == '"')
				quote = quote != '\0' ? '\0' : *from;
			else if (*from == '\\' && quote != '\'' && from[1] != '\0')
				*to++ = *++from;
			else
				*to++ = *from;
		}
		if (quote != '\0')
			return err_set(err, "a quote %c is not closed", quote);
		if (*from != '\0')
			from++;
		*to++ = '\0';
	}
	words[count] = NULL;
	return 0;
}

static int take_environment(struct parser *p, const char *name)
{
	const char *value = getenv(name);
	char *words[OPTION_IDS];
	struct err err;
	int count = 0, status;

	if (value == NULL || value[0] == '\0')
		return 0;
	p->state->environment = strdup(value);
	if (p->state->environment == NULL)
		return err_set(p->err, "out of memory");
	p->source = OPTION_BY_ENVIRONMENT;
	status = split(p->state->environment, words, OPTION_IDS, p->err);
	if (status == 0)
		status = take_words(p, words, words, &count);
	if (status == 0 && count > 0)
		status = err_set(p->err, "'%s' is no option", words[0]);
	if (status != 0) {
		err = *p->err;
		err_set(p->err, "in %s: %.400s", name, err.text);
	}
	return status;
}

/* ---- All of it ---- */

static int take_defaults(struct parser *p)
{
	p->source = OPTION_BY_DEFAULT;
	for (const struct option_use *u = p->command->uses; u->id != 0; u++)
		if (u->usual != NULL && take(p, u->id, u->usual) != 0)
			return -1;
	return 0;
}

int option_parse(const struct option_table *t, const struct option_command *c,
		 const char *environment, int argc, char **argv, void *into, struct option_state *s,
		 struct err *err)
{
	struct parser p = {.table = t, .command = c, .into = into, .state = s, .err = err};

	*s = (struct option_state){.words = argv + 1};
	if (take_defaults(&p) != 0 || take_environment(&p, environment) != 0)
		return -1;
	p.source = OPTION_BY_USER;
	return argc > 0 ? take_words(&p, argv + 1, s->words, &s->word_count) : 0;
}

void option_release(struct option_state *s)
{
	free(s->environment);
	s->environment = NULL;
}
