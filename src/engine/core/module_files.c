/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The identity of a mapped file, by which the collector finds exactly that file; see
 * module_files.h.
 */
#include "engine/core/module_files.h"

#include <sys/stat.h>

#include "channel/channel.h"
#include "channel/sys.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

/* May paths lead to other files here than in the collector? */
static bool is_elsewhere(void)
{
	const struct channel_header *header = engine.channel;
	struct stat namespace, root;

	return sys_failed(sys2(SYS_stat, "/proc/self/ns/mnt", &namespace)) ||
	       sys_failed(sys2(SYS_stat, "/", &root)) ||
	       namespace.st_ino != header->mount_namespace || root.st_dev != header->root_device ||
	       root.st_ino != header->root_inode;
}

struct module_file module_file_of(int fd)
{
	struct stat st;

	if (!engine.channel || fd < 0 || sys_failed(sys2(SYS_fstat, fd, &st)))
		return (struct module_file){0};
	return (struct module_file){
		.device = st.st_dev,
		.inode = st.st_ino,
		.modified_ns =
			(uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec,
		.is_elsewhere = st.st_nlink == 0 || is_elsewhere(),
	};
}
