/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that are not options; see words.h. */
#include "cli/words.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC "SQLite format 3" /* the first bytes of a profile, with the NUL */

bool words_is_profile(const char *word)
{
	size_t length = strlen(word);
	char begin[sizeof(MAGIC)];
	bool is_one = false;
	struct stat st;
	FILE *f;

	if (length > 3 && strcmp(word + length - 3, ".db") == 0)
		return true;
	/* Opening a pipe would block until something writes to it. */
	if (stat(word, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	f = fopen(word, "re");
	if (f == NULL)
		return false;
	is_one = fread(begin, 1, sizeof(begin), f) == sizeof(begin) &&
		 memcmp(begin, MAGIC, sizeof(begin)) == 0;
	fclose(f);
	return is_one;
}

static int add_input(struct options *o, const char *word, struct err *err)
{
	if (o->input_count == OPTIONS_MOST)
		return err_set(err, "more than %d profiles: give fewer at a time", OPTIONS_MOST);
	o->inputs[o->input_count++] = word;
	return 0;
}

static int set_input(const struct command *c, struct options *o, const char *word, struct err *err)
{
	if (options_given(o, OPTION_INPUT))
		return err_set(err, "'%s' is one too many: -i names the profile", word);
	if (o->input_count > 0)
		return err_set(err, "'%s' is one too many: '%s' is the profile", word,
			       o->inputs[0]);
	return add_input(o, word, err);
}

static int take_name(const struct command *c, struct options *o, const char *word, struct err *err)
{
	if (!options_given(o, OPTION_INPUT) && words_is_profile(word))
		return set_input(c, o, word, err);
	if (o->word != NULL)
		return err_set(err, "'%s' is one too many: one name at a time", word);
	o->word = word;
	return 0;
}

int words_take(const struct command *c, struct options *o, struct err *err)
{
	/* The command line wins over the environment. */
	if (o->state.word_count > 0 && !options_given(o, OPTION_INPUT))
		o->input_count = 0;
	for (int i = 0; i < o->state.word_count; i++) {
		const char *word = o->state.words[i];
		int status = 0;

		if (c->words == WORDS_NONE)
			status = err_set(err, "'%s' is no option%s", word,
					 option_use_of(&c->options, OPTION_PID) != NULL
						 ? ": name the process by -p"
						 : "");
		else if (c->words == WORDS_PROFILE)
			status = set_input(c, o, word, err);
		else if (c->words == WORDS_PROFILES)
			status = add_input(o, word, err);
		else if (c->words == WORDS_NAME)
			status = take_name(c, o, word, err);
		if (status != 0)
			return -1;
	}
	return 0;
}
