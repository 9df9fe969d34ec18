/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As base/search.h, for code inside a target. */
#ifndef DWELL_ENGINE_CORE_SEARCH_H
#define DWELL_ENGINE_CORE_SEARCH_H

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

#endif
