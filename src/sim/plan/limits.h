/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The largest caches that translated code keeps by itself; the engine's tables have this room. */
#ifndef DWELL_SIM_PLAN_LIMITS_H
#define DWELL_SIM_PLAN_LIMITS_H

#define SIM_FILTER_LINE	 64u   /* bytes */
#define SIM_FILTER_PAGE	 4096u /* bytes */
#define SIM_PAGE_LINES	 (SIM_FILTER_PAGE / SIM_FILTER_LINE)
#define SIM_LEAST_SETS	 8u	    /* neighbouring lines of one segment never meet in a set */
#define SIM_FIRST_WAYS	 16u	    /* of first levels */
#define SIM_FIRST_BYTES	 0x400000u  /* of the stamps of a first level: 8 for each place */
#define SIM_SECOND_WAYS	 32u	    /* of a second level in assembly code */
#define SIM_SECOND_BYTES 0x2800000u /* of its stamps: 320 MB of caches */
#define SIM_TLB_WAYS	 128u	    /* all are looked at where a page is evicted */
#define SIM_TLB_PLACES	 0x8000u
#define SIM_USE_PLACES	 0x1fff0u /* of a first level whose lines are watched */

#endif
