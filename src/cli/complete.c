/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Candidates for a word of a command line; see complete.h. */
#include "cli/complete.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/words.h"

/* The command line up to the word to complete. */
struct line {
	const struct command *command;
	const char *profile;
	int pending;	 /* the option whose value the next word is; 0: none */
	bool is_over;	 /* options have ended */
	bool is_running; /* the words belong to the command to run */
};

void complete_offer(const char *lead, const char *candidate, const char *description)
{
	printf("%s%s\t%s\n", lead, candidate, description != NULL ? description : "");
}

static bool begins(const char *word, const char *prefix)
{
	return strncmp(word, prefix, strlen(prefix)) == 0;
}

static void offer_commands(const char *prefix)
{
	for (size_t i = 0; commands[i] != NULL; i++)
		if (begins(commands[i]->options.name, prefix))
			complete_offer("", commands[i]->options.name, commands[i]->summary);
	if (begins("help", prefix))
		complete_offer("", "help", "show the options of a command");
}

/* Offer the options of dwell itself, before any command. */
static void offer_top(const char *prefix)
{
	offer_commands(prefix);
	if (prefix[0] == '-' && begins("--help", prefix))
		complete_offer("", "--help", "list the commands");
	if (prefix[0] == '-' && begins("--version", prefix))
		complete_offer("", "--version", "print the version");
}

/* ---- The words before ---- */

static int row_of(const struct line *l, const char *name, size_t bytes, int letter)
{
	for (const struct option_use *u = l->command->options.uses; u->id != 0; u++) {
		const struct option_row *row = &option_table.rows[u->id];

		if (letter != 0
			    ? row->letter == letter
			    : strlen(row->name) == bytes && strncmp(row->name, name, bytes) == 0)
			return u->id;
	}
	return 0;
}

/* Find the option whose value is the next word. */
static int pending_of(const struct line *l, const char *word)
{
	int id;

	if (word[0] != '-' || word[1] == '\0' || strchr(word, '=') != NULL)
		return 0;
	if (word[1] == '-') {
		id = row_of(l, word + 2, strlen(word + 2), 0);
		return id != 0 && option_table.rows[id].argument != NULL &&
				       option_table.rows[id].bare == NULL
			       ? id
			       : 0;
	}
	for (word++; *word != '\0'; word++) {
		id = row_of(l, NULL, 0, *word);
		if (id == 0 || option_table.rows[id].argument != NULL)
			return id != 0 && word[1] == '\0' ? id : 0;
	}
	return 0;
}

static void pass(struct line *l, const char *word)
{
	bool is_option = word[0] == '-' && word[1] != '\0' && !l->is_over;

	if (l->pending != 0) {
		if (l->pending == OPTION_INPUT)
			l->profile = word;
		l->pending = 0;
	} else if (is_option && strcmp(word, "--") == 0) {
		l->is_over = true;
	} else if (is_option) {
		l->pending = pending_of(l, word);
		if (begins(word, "--input="))
			l->profile = word + strlen("--input=");
		else if (begins(word, "-i") && word[2] != '\0')
			l->profile = word + 2;
	} else if (l->command->options.runs_a_command) {
		l->is_running = true;
	} else if (words_is_profile(word)) {
		l->profile = word;
	}
}

/* ---- The candidates ---- */

static void offer_value(const struct line *l, int id, const char *lead, const char *prefix)
{
	const struct option_use *use = option_use_of(&l->command->options, id);
	const char *const *choices = use != NULL ? option_choices(&option_table, use) : NULL;
	enum option_names names = option_table.rows[id].names;

	for (; choices != NULL && *choices != NULL; choices++)
		if (begins(*choices, prefix))
			complete_offer(lead, *choices, NULL);
	if (names == OPTION_NAMES_FILE)
		printf(":files\n");
	else
		complete_names(names, l->profile, lead, prefix);
}

static void offer_options(const struct line *l, const char *prefix)
{
	for (int id = 1; id < (int)option_table.count; id++) {
		const struct option_row *row = &option_table.rows[id];
		char name[64];

		if (option_use_of(&l->command->options, id) == NULL)
			continue;
		snprintf(name, sizeof(name), "--%s", row->name);
		if (begins(name, prefix))
			complete_offer("", name, row->help);
	}
}

static void offer(const struct line *l, const char *word)
{
	const char *equals = strchr(word, '=');
	char lead[64];

	if (l->is_running) {
		printf(":files\n");
	} else if (l->pending != 0) {
		offer_value(l, l->pending, "", word);
	} else if (begins(word, "--") && equals != NULL && !l->is_over) {
		int id = row_of(l, word + 2, (size_t)(equals - word - 2), 0);

		snprintf(lead, sizeof(lead), "%.*s", (int)(equals + 1 - word), word);
		if (id != 0)
			offer_value(l, id, lead, equals + 1);
	} else if (word[0] == '-' && !l->is_over) {
		offer_options(l, word);
	} else if (l->command->options.runs_a_command) {
		printf(":command\n");
	} else if (l->command->words != WORDS_NONE) {
		complete_names(l->command->names, l->profile, "", word);
		printf(":files\n");
	}
}

int complete_words(int count, char **words)
{
	struct line l = {.profile = DEFAULT_PROFILE};

	if (count == 0)
		return EXIT_USAGE;
	if (count == 1) {
		offer_top(words[0]);
		return EXIT_OK;
	}
	l.command = command_find(words[0]);
	if (l.command == NULL) {
		if (strcmp(words[0], "help") == 0)
			offer_commands(words[1]);
		return EXIT_OK;
	}
	for (int i = 1; i + 1 < count; i++)
		pass(&l, words[i]);
	offer(&l, words[count - 1]);
	return EXIT_OK;
}
