/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the C library on strings, and string instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[3000], copy[3000];
static char *words[300];

static void set(char *to, int value, size_t bytes)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
}

static void move(char *to, const char *from, size_t words8)
{
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words8) : : "memory");
}

static int longer(const void *a, const void *b)
{
	return (int)strlen(*(char *const *)a) - (int)strlen(*(char *const *)b);
}

int main(void)
{
	int count = 0;

	for (int i = 0; i + 1 < (int)sizeof(text); i++)
		text[i] = i * i % 7 ? 'a' + i % 26 : ' ';
	move(copy, text, sizeof(copy) / 8);
	for (char *w = strtok(copy, " "); w && count < 300; w = strtok(0, " "))
		words[count++] = strdup(w);
	qsort(words, (size_t)count, sizeof(*words), longer);
	set(copy, 'z', 1500);
	memcpy(copy + 100, text + 1, 2000);
	printf("%d %s %s\n", count, words[count / 2], strstr(copy, "xyz") ? "has" : "lacks");
	for (int i = 0; i < count; i++)
		free(words[i]);
	return 0;
}
