/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a process traced? See traced.h. */
#include "engine/traced.h"

#include <fcntl.h>

#include "channel/sys.h"
#include "engine/records.h"
#include "engine/util.h"

/* The number behind "TracerPid:", or 0. */
static uint32_t tracer_in(const char *text, uint64_t bytes)
{
	static const char name[] = "\nTracerPid:\t";
	uint32_t v = 0;

	for (uint64_t i = 0; i + sizeof name - 1 <= bytes; i++) {
		if (memcmp(text + i, name, sizeof name - 1) != 0)
			continue;
		for (i += sizeof name - 1; i < bytes && text[i] >= '0' && text[i] <= '9'; i++)
			v = v * 10 + (uint32_t)(text[i] - '0');
		break;
	}
	return v;
}

bool traced_by_run(const struct thread *t)
{
	char text[1024]; /* it stands among the first lines */
	uint32_t tracer;
	long fd, n;

	if (t->process->is_traced)
		return true;
	fd = sys4(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return false;
	n = sys3(SYS_read, fd, text, sizeof text);
	sys1(SYS_close, fd);
	tracer = n > 0 ? tracer_in(text, (uint64_t)n) : 0;
	return tracer && records_has_process(t->process, tracer);
}
