/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Search trees whose nodes are freed, and whose memory later nodes have. */
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *left, *right;
	long key;
	char more[24];
};

static struct node *root;
static long found[200];

static void put(long key)
{
	struct node **p = &root;

	while (*p && (*p)->key != key)
		p = key < (*p)->key ? &(*p)->left : &(*p)->right;
	if (*p)
		return;
	*p = calloc(1, sizeof(**p));
	(*p)->key = key;
}

static void drop(struct node *n)
{
	if (!n)
		return;
	drop(n->left);
	drop(n->right);
	free(n);
}

int main(void)
{
	for (int round = 0; round < 2; round++) {
		for (long i = 0; i < 150; i++)
			put(i * 7919 % 211);
		for (long key = 0; key < 200; key++) {
			struct node *n = root;

			while (n && n->key != key)
				n = key < n->key ? n->left : n->right;
			found[key] += n != 0;
		}
		drop(root);
		root = 0;
	}
	printf("%ld\n", found[5]);
	return 0;
}
