/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the filter goes off, what is in its caches goes to those of the hierarchy, each set in the order that says
 * who gives way; where it goes on again, it comes back.
 */
#ifndef DWELL_ENGINE_FILTER_HANDOVER_H
#define DWELL_ENGINE_FILTER_HANDOVER_H

struct sim_hierarchy;

#define FILTER_FIRST_TIME 64u /* above the stamps of lines that are taken back */

void filter_hand_over(struct sim_hierarchy *h);
void filter_take_back(struct sim_hierarchy *h);

#endif
