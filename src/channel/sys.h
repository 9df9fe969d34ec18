/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw system calls for freestanding code: they return -errno, and do not set errno. */
#ifndef DWELL_CHANNEL_SYS_H
#define DWELL_CHANNEL_SYS_H

#include <stdint.h>
#include <sys/syscall.h>

static inline long sys_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define SYS_ARG(x)	     ((long)(x))
#define sys0(nr)	     sys_call6(nr, 0, 0, 0, 0, 0, 0)
#define sys1(nr, a)	     sys_call6(nr, SYS_ARG(a), 0, 0, 0, 0, 0)
#define sys2(nr, a, b)	     sys_call6(nr, SYS_ARG(a), SYS_ARG(b), 0, 0, 0, 0)
#define sys3(nr, a, b, c)    sys_call6(nr, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), 0, 0, 0)
#define sys4(nr, a, b, c, d) sys_call6(nr, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), 0, 0)
#define sys5(nr, a, b, c, d, e) \
	sys_call6(nr, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), SYS_ARG(e), 0)
#define sys6(nr, a, b, c, d, e, f) \
	sys_call6(nr, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), SYS_ARG(e), SYS_ARG(f))

/* Tell whether a raw call failed; also valid for calls that return addresses. */
static inline int sys_failed(long ret)
{
	return (unsigned long)ret > -4096ul;
}

#endif
