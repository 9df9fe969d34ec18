/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of the channel: a sealed memfd, so that no target can shrink it while it is mapped. */
#include "collector/target/host.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void fill_header(struct host *h, const struct channel_config *config)
{
	struct stat namespace = {0}, root = {0};

	/* Without these, engines assume another namespace, which costs them some waiting. */
	(void)stat("/proc/self/ns/mnt", &namespace);
	(void)stat("/", &root);
	*h->header = (struct channel_header){
		.magic = CHANNEL_MAGIC,
		.version = CHANNEL_VERSION,
		.slot_count = h->slot_count,
		.slot_bytes = h->slot_bytes,
		.ring_bytes = h->ring_bytes,
		.config = *config,
		.collector_pid = (uint32_t)getpid(),
		.mount_namespace = namespace.st_ino,
		.root_device = root.st_dev,
		.root_inode = root.st_ino,
	};
}

#define ADDRESS_SPACE_PART 16u /* the channel may take this fraction of the limit */
#define LEAST_SLOTS	   4u
#define LEAST_RING	   (256u << 10)

/* What the channel may take of a limit of this process. */
static uint64_t limit_of(__rlimit_resource_t resource, uint64_t part)
{
	struct rlimit l;

	return getrlimit(resource, &l) != 0 || l.rlim_cur == RLIM_INFINITY ? UINT64_MAX
									   : l.rlim_cur / part;
}

/* Reduce slots and ring sizes to fit limits of address space and file size. */
static void fit_limits(uint32_t *slot_count, uint64_t *ring_bytes)
{
	uint64_t most = limit_of(RLIMIT_AS, ADDRESS_SPACE_PART), file = limit_of(RLIMIT_FSIZE, 1);

	most = (most < file ? most : file) - CHANNEL_HEADER_BYTES;
	while (*slot_count > LEAST_SLOTS &&
	       *slot_count * (*ring_bytes + CHANNEL_SLOT_HEADER_BYTES) > most)
		*slot_count /= 2;
	while (*ring_bytes > LEAST_RING &&
	       *slot_count * (*ring_bytes + CHANNEL_SLOT_HEADER_BYTES) > most)
		*ring_bytes /= 2;
}

int host_init(struct host *h, const struct channel_config *config, uint32_t slot_count,
	      uint64_t ring_bytes, struct err *err)
{
	void *map;

	fit_limits(&slot_count, &ring_bytes);
	*h = (struct host){
		.fd = -1,
		.slot_count = slot_count,
		.slot_bytes = CHANNEL_SLOT_HEADER_BYTES + ring_bytes,
		.ring_bytes = ring_bytes,
	};
	h->bytes = CHANNEL_HEADER_BYTES + slot_count * h->slot_bytes;
	h->fd = memfd_create("dwell-channel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (h->fd < 0)
		return err_set(err, "cannot make the memory shared with the target: %s",
			       strerror(errno));
	if (ftruncate(h->fd, (off_t)h->bytes) != 0) {
		err_set(err, "cannot make %zu bytes of memory shared with the target: %s", h->bytes,
			errno == EFBIG ? "the limit of file sizes (ulimit -f) is too low"
				       : strerror(errno));
		host_release(h);
		return -1;
	}
	fcntl(h->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	map = mmap(NULL, h->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, h->fd, 0);
	if (map == MAP_FAILED) {
		err_set(err, "cannot map the memory shared with the target: %s", strerror(errno));
		host_release(h);
		return -1;
	}
	h->header = map;
	fill_header(h, config);
	return 0;
}

void host_release(struct host *h)
{
	if (h->header != NULL)
		munmap(h->header, h->bytes);
	if (h->fd >= 0)
		close(h->fd);
	h->header = NULL;
	h->fd = -1;
}

uint32_t host_wake_count(const struct host *h)
{
	return __atomic_load_n(&h->header->wake, __ATOMIC_ACQUIRE);
}

void host_has_read(struct host *h, uint32_t count)
{
	__atomic_store_n(&h->header->read_up_to, count, __ATOMIC_RELEASE);
}

void host_wait(struct host *h, uint32_t count, uint64_t timeout_ns)
{
	struct timespec t = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};

	/* Not FUTEX_PRIVATE: the waker is another process. */
	syscall(SYS_futex, &h->header->wake, FUTEX_WAIT, count, &t, NULL, 0);
}

void host_wake(struct host *h)
{
	int saved = errno;

	__atomic_fetch_add(&h->header->wake, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &h->header->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	errno = saved;
}

void host_stop_engines(struct host *h)
{
	__atomic_store_n(&h->header->stop, CHANNEL_STOP_AT_ONCE, __ATOMIC_RELEASE);
}

void host_finish_engines(struct host *h)
{
	__atomic_store_n(&h->header->stop, CHANNEL_STOP_IN_ORDER, __ATOMIC_RELEASE);
}

uint32_t host_ask(struct host *h)
{
	return __atomic_add_fetch(&h->header->report, 1, __ATOMIC_ACQ_REL);
}

void host_say_goodbye(struct host *h)
{
	__atomic_store_n(&h->header->collector_gone, 1, __ATOMIC_RELEASE);
}
