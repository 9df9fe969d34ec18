/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target's system calls: most pass through, the engine handles some. */
#ifndef DWELL_ENGINE_RUN_SYSCALLS_SYSCALLS_H
#define DWELL_ENGINE_RUN_SYSCALLS_SYSCALLS_H

#include "engine/core/state.h"

/* A handler's result if it has set the registers itself. */
#define SYSCALLS_NO_RESULT  (-100000)
#define SYSCALLS_INSN_BYTES 2

/*
 * Execute the system call in t->regs; t->rip is the pc behind it. Leaves the result in rax, and the
 * pc to continue at in t->rip.
 */
void syscalls_handle(struct thread *t);

/*
 * Pass the call to the kernel. Returns its result; RESTART_CALL if a signal came before it began.
 */
long syscalls_pass(struct thread *t, long nr, const long args[6]);

/* Is the string at path_at (in the target) a name of the process's own /proc/PID/exe? */
bool syscalls_names_own_exe(const struct thread *t, uint64_t path_at);

/* Handlers in other files. */
long syscalls_execve(struct thread *t, long nr, const long args[6]);
long syscalls_execveat(struct thread *t, long nr, const long args[6]);

long syscalls_mmap(struct thread *t, long nr, const long args[6]);
long syscalls_shmat(struct thread *t, long nr, const long args[6]);
long syscalls_shmdt(struct thread *t, long nr, const long args[6]);
long syscalls_munmap(struct thread *t, long nr, const long args[6]);
long syscalls_mprotect(struct thread *t, long nr, const long args[6]);
long syscalls_mremap(struct thread *t, long nr, const long args[6]);
long syscalls_brk(struct thread *t, long nr, const long args[6]);
long syscalls_madvise(struct thread *t, long nr, const long args[6]);
long syscalls_msync(struct thread *t, long nr, const long args[6]);
long syscalls_until_hole(struct thread *t, long nr, const long args[6]);

long syscalls_arch_prctl(struct thread *t, long nr, const long args[6]);
long syscalls_ptrace(struct thread *t, long nr, const long args[6]);
long syscalls_prctl(struct thread *t, long nr, const long args[6]);
long syscalls_seccomp(struct thread *t, long nr, const long args[6]);
long syscalls_sigsuspend(struct thread *t, long nr, const long args[6]);
long syscalls_ppoll(struct thread *t, long nr, const long args[6]);
long syscalls_epoll_pwait(struct thread *t, long nr, const long args[6]);
long syscalls_pselect(struct thread *t, long nr, const long args[6]);
long syscalls_io_uring_enter(struct thread *t, long nr, const long args[6]);
long syscalls_sigpending(struct thread *t, long nr, const long args[6]);
long syscalls_kill(struct thread *t, long nr, const long args[6]);
long syscalls_sigtimedwait(struct thread *t, long nr, const long args[6]);

#endif
