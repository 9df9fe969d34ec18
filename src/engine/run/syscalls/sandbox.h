/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a seccomp filter of the program's would do to the engine's own system calls. Pure. */
#ifndef DWELL_ENGINE_RUN_SANDBOX_H
#define DWELL_ENGINE_RUN_SANDBOX_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>

/* What the filter says of a call, SECCOMP_RET_*; that of a kill for a filter that is none. */
uint32_t sandbox_verdict(const struct sock_filter *filter, uint32_t n,
			 const struct seccomp_data *call);

/* Does it let by all calls that the engine needs to go on? */
bool sandbox_lets_by(const struct sock_filter *filter, uint32_t n);
/* The same for what rests from signals take, see rest.h. */
bool sandbox_lets_rests_by(const struct sock_filter *filter, uint32_t n);

#endif
