/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a process traced? See traced.h. */
#include "engine/run/traced.h"

#include "channel/sys.h"
#include "engine/core/proc.h"
#include "engine/core/records.h"
#include "engine/core/util.h"

/* The number behind "TracerPid:", or 0. */
static uint32_t tracer_in(const char *text)
{
	uint64_t tracer = 0;

	for (const char *p; *text && !tracer; text++)
		if ((p = text_behind(text, "\nTracerPid:\t")))
			text_decimal(p, &tracer);
	return (uint32_t)tracer;
}

bool traced_by_run(const struct thread *t)
{
	char text[1024]; /* it is among the first lines */
	uint32_t tracer;

	if (t->process->is_traced)
		return true;
	proc_read("/proc/self/status", text, sizeof text);
	tracer = tracer_in(text);
	return tracer && records_has_process(t->process, tracer);
}
