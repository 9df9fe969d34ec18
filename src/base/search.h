/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searching by halving: a sorted array, or whatever a number names. */
#ifndef DWELL_BASE_SEARCH_H
#define DWELL_BASE_SEARCH_H

/*
 * The first number i from 0 on for which `test`, an expression of i, holds; n if there is none
 * below n. The test must hold for all later numbers, too:
 *
 *   at = SEARCH_FIRST(i, count, items[i].start > address);
 *
 * Then items[at - 1], if at > 0, is the last item that starts at or before the address.
 */
#define SEARCH_FIRST(i, n, test)                                             \
	__extension__({                                                      \
		__typeof__((n) + 0) search_low = 0, search_high = (n);       \
                                                                             \
		while (search_low < search_high) {                           \
			const __typeof__(search_low) i =                     \
				search_low + (search_high - search_low) / 2; \
                                                                             \
			if (test)                                            \
				search_high = i;                             \
			else                                                 \
				search_low = i + 1;                          \
		}                                                            \
		search_low;                                                  \
	})

/*
 * The number i below n of an item that is the wanted one; n if there is none. `order`, an
 * expression of i, is below 0 for an item before the wanted one, above 0 for one behind it:
 *
 *   at = SEARCH_MATCH(i, count, SEARCH_ORDER(items[i].id, id));
 */
#define SEARCH_MATCH(i, n, order)                                                          \
	__extension__({                                                                    \
		const __typeof__((n) + 0) search_count = (n);                              \
		const __typeof__((n) + 0) i = SEARCH_FIRST(i, search_count, (order) >= 0); \
                                                                                           \
		i < search_count && (order) == 0 ? i : search_count;                       \
	})
#define SEARCH_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
