/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks by which a program tells Dwell what to look at. For C and C++, gcc and
 * clang, x86-64; nothing is linked. See dwell-marks(7).
 *
 *   DWELL_START();                  sampling begins here, for all threads
 *   DWELL_STOP();                   and ends here
 *   DWELL_NAME(p, bytes, "name");   the memory at p is called "name" in views
 *   DWELL_UNNAME(p, bytes);         not any more
 *
 * Each is one instruction that does nothing: a long NOP whose operand, an
 * address that is never used, has a displacement that no compiler writes. It
 * changes no register, flag or memory. Dwell's translator recognises it. The arguments
 * of DWELL_NAME are put into registers, that is all they cost.
 *
 * With DWELL_DISABLE defined, or on another processor, the marks vanish, and
 * their arguments are not evaluated.
 *
 * As a special exception to its license, you may include this file in programs of
 * any license: that alone does not put them under the GNU General Public License.
 */
#ifndef DWELL_H
#define DWELL_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(DWELL_DISABLE)

/* nopl 0x4c5744NN(%rax): NN says what; "DWL" in the other three bytes. */
#define DWELL_MARK_(number, pointer, bytes, name)                               \
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80, " number ", 0x44, 0x57, 0x4c" \
			 :                                                      \
			 : "D"(pointer), "S"(bytes), "d"(name)                  \
			 : "memory")

#define DWELL_START() \
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80, 0x01, 0x44, 0x57, 0x4c" ::: "memory")
#define DWELL_STOP() __asm__ volatile(".byte 0x0f, 0x1f, 0x80, 0x02, 0x44, 0x57, 0x4c" ::: "memory")
#define DWELL_NAME(pointer, bytes, name)                                              \
	DWELL_MARK_("0x03", (const volatile void *)(pointer), (__SIZE_TYPE__)(bytes), \
		    (const char *)(name))
#define DWELL_UNNAME(pointer, bytes) \
	DWELL_MARK_("0x04", (const volatile void *)(pointer), (__SIZE_TYPE__)(bytes), 0ul)

#else

#define DWELL_START()			 ((void)0)
#define DWELL_STOP()			 ((void)0)
#define DWELL_NAME(pointer, bytes, name) ((void)0)
#define DWELL_UNNAME(pointer, bytes)	 ((void)0)

#endif

#endif
