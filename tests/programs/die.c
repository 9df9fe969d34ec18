/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends by the signal, or with the exit status, in the arguments: die signal 11, die exit 200. */
#include "check.h"
#include <signal.h>

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	int n = (int)strtol(argv[2], NULL, 10);

	STEP("%s %d", argv[1], n);
	if (strcmp(argv[1], "exit") == 0)
		exit(n);
	if (n == SIGSEGV)
		*(volatile int *)8 = 1;
	raise(n);
	return 2;
}
