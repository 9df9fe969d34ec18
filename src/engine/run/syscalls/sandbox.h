/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The effect of a program's seccomp filter on the engine's own system calls. Pure. */
#ifndef DWELL_ENGINE_RUN_SYSCALLS_SANDBOX_H
#define DWELL_ENGINE_RUN_SYSCALLS_SANDBOX_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>

/* The filter's verdict on a call, SECCOMP_RET_*; kill if the filter is invalid. */
uint32_t sandbox_verdict(const struct sock_filter *filter, uint32_t n,
			 const struct seccomp_data *call);

/* Does the filter allow all calls that the engine needs? */
bool sandbox_lets_by(const struct sock_filter *filter, uint32_t n);
/* The same for calls that rests from signals need, see rest.h. */
bool sandbox_lets_rests_by(const struct sock_filter *filter, uint32_t n);

#endif
