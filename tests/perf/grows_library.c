/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small library for grows.c, of which there are many. */
long twice(long x);

long twice(long x)
{
	return 2 * x;
}
