/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a run samples if nothing else is asked for. */
#include "collector/collector.h"

struct channel_config collector_default_config(void)
{
	return (struct channel_config){
		.mode = CHANNEL_MODE_SAMPLE,
		.line_bytes = 64,
		.window_min = 100000,
		.window_max = 500000,
		.window_divisor = 64000,
		.duty_ppm = 1000000,
		.doubling_windows = 60,
		.window_growth_ppm = 11619, /* 2^(1/60) - 1 */
		.samples_per_window = 48,
		.near_one_in = 16,
		.nested_one_in = 4,
		.objects = 1,
		.paths = 8,
	};
}
