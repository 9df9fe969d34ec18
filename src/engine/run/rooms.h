/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rooms work together in this run: the tables through which lower ones reach higher ones. */
#ifndef DWELL_ENGINE_RUN_ROOMS_H
#define DWELL_ENGINE_RUN_ROOMS_H

/* Fill the tables, once the run mode is known and before anything is translated. */
void rooms_open(void);

#endif
