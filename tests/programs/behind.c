/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that the kernel writes: through /proc/self/mem, by calls that fill buffers, in files with
 * private mappings, and where madvise and ftruncate remove pages. All code is called after each
 * change, and must be the new code.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define ROUNDS 100
#define SUM    (ROUNDS * (ROUNDS - 1) / 2)
#define RWX    (PROT_READ | PROT_WRITE | PROT_EXEC)
#define RX     (PROT_READ | PROT_EXEC)

/* mov $value, %eax; ret */
static const unsigned char *code_of(int value)
{
	static unsigned char code[6] = {0xb8, 0, 0, 0, 0, 0xc3};

	memcpy(code + 1, &value, 4);
	return code;
}

static int call(const void *at)
{
	return ((int (*)(void))(uintptr_t)at)();
}

static unsigned char *map(int prot, int flags, int fd)
{
	unsigned char *p = mmap(NULL, 4096, prot, flags, fd, 0);

	NEED(p != MAP_FAILED);
	return p;
}

/* ---- /proc/self/mem, process_vm_writev ---- */

static int mem = -1;

static void by_pwrite(unsigned char *at, int value)
{
	CHECK_EQ(pwrite(mem, code_of(value), 6, (off_t)(uintptr_t)at), 6);
}

static void by_write(unsigned char *at, int value)
{
	CHECK(lseek(mem, (off_t)(uintptr_t)at, SEEK_SET) == (off_t)(uintptr_t)at);
	CHECK_EQ(write(mem, code_of(value), 6), 6);
}

static void by_writev(unsigned char *at, int value)
{
	struct iovec v[2] = {{(void *)(uintptr_t)code_of(value), 2},
			     {(void *)(uintptr_t)(code_of(value) + 2), 4}};

	CHECK(lseek(mem, (off_t)(uintptr_t)at, SEEK_SET) == (off_t)(uintptr_t)at);
	CHECK_EQ(writev(mem, v, 2), 6);
}

static void by_pwritev(unsigned char *at, int value)
{
	struct iovec v = {(void *)(uintptr_t)code_of(value), 6};

	CHECK_EQ(pwritev(mem, &v, 1, (off_t)(uintptr_t)at), 6);
}

static void by_process_vm(unsigned char *at, int value)
{
	struct iovec from = {(void *)(uintptr_t)code_of(value), 6}, to = {at, 6};

	CHECK_EQ(process_vm_writev(getpid(), &from, 1, &to, 1, 0), 6);
}

/* ---- Calls that fill buffers ---- */

static int ends[2], pair[2];

static void by_read(unsigned char *at, int value)
{
	CHECK_EQ(write(ends[1], code_of(value), 6), 6);
	CHECK_EQ(read(ends[0], at, 6), 6);
}

static void by_readv(unsigned char *at, int value)
{
	unsigned char first[3];
	struct iovec v[2] = {{first, 3}, {at + 3, 3}};

	CHECK_EQ(write(ends[1], code_of(value), 6), 6);
	CHECK_EQ(readv(ends[0], v, 2), 6);
	memcpy(at, first, 3);
}

static void by_recv(unsigned char *at, int value)
{
	CHECK_EQ(send(pair[1], code_of(value), 6, 0), 6);
	CHECK_EQ(recv(pair[0], at, 6, 0), 6);
}

static void by_recvmsg(unsigned char *at, int value)
{
	struct iovec v = {at, 6};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

	CHECK_EQ(send(pair[1], code_of(value), 6, 0), 6);
	CHECK_EQ(recvmsg(pair[0], &m, 0), 6);
}

/* A page of code behind one of data: no read may stop in between. */
static void by_long_read(unsigned char *at, int value)
{
	static unsigned char much[4096 + 6];

	memcpy(much + 4096, code_of(value), 6);
	CHECK_EQ(write(ends[1], much, sizeof(much)), sizeof(much));
	CHECK_EQ(read(ends[0], at - 4096, sizeof(much)), sizeof(much));
}

static void by_aio(unsigned char *at, int value)
{
	static aio_context_t context;
	static int file = -1;
	struct iocb cb = {.aio_lio_opcode = IOCB_CMD_PREAD,
			  .aio_buf = (uint64_t)(uintptr_t)at,
			  .aio_nbytes = 6};
	struct iocb *list = &cb;
	struct io_event event;

	if (file < 0) {
		file = memfd_create("aio", 0);
		NEED(file >= 0);
		if (syscall(SYS_io_setup, 8, &context) != 0)
			context = 0;
	}
	CHECK_EQ(pwrite(file, code_of(value), 6, 0), 6);
	cb.aio_fildes = (uint32_t)file;
	if (!context) {
		memcpy(at, code_of(value), 6);
		return;
	}
	CHECK_EQ(syscall(SYS_io_submit, context, 1, &list), 1);
	CHECK_EQ(syscall(SYS_io_getevents, context, 1, 1, &event, NULL), 1);
	CHECK_EQ(event.res, 6);
}

/* Out of a pipe vmsplice copies. */
static void by_vmsplice(unsigned char *at, int value)
{
	struct iovec v = {at, 6};

	CHECK_EQ(write(ends[1], code_of(value), 6), 6);
	CHECK_EQ(vmsplice(ends[0], &v, 1, 0), 6);
}

/* ---- io_uring ---- */

static struct {
	int fd, file;
	unsigned char *rings;
	struct io_uring_sqe *entries;
	struct io_uring_params p;
} ring = {.fd = -1};

static uint32_t *ring_word(uint32_t offset)
{
	return (uint32_t *)(void *)(ring.rings + offset);
}

/* False where the kernel has none for us. */
static int make_ring(void)
{
	ring.fd = (int)syscall(SYS_io_uring_setup, 4, &ring.p);
	if (ring.fd < 0)
		return 0;
	NEED(ring.p.features & IORING_FEAT_SINGLE_MMAP);
	ring.rings =
		mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
	ring.entries =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQES);
	ring.file = memfd_create("ring", 0);
	NEED(ring.rings != MAP_FAILED && (void *)ring.entries != MAP_FAILED && ring.file >= 0);
	return 1;
}

static void submit(unsigned char opcode, int fd, unsigned char *at, uint64_t offset)
{
	uint32_t *tail = ring_word(ring.p.sq_off.tail), *head = ring_word(ring.p.cq_off.head);
	const uint32_t i = *tail & *ring_word(ring.p.sq_off.ring_mask);
	const uint32_t done = *head & *ring_word(ring.p.cq_off.ring_mask);
	const struct io_uring_cqe *cqe = (const void *)(ring.rings + ring.p.cq_off.cqes);

	ring.entries[i] = (struct io_uring_sqe){.opcode = opcode,
						.fd = fd,
						.addr = (uint64_t)(uintptr_t)at,
						.len = 6,
						.off = offset};
	ring_word(ring.p.sq_off.array)[i] = i;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	CHECK_EQ(syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0), 1);
	CHECK_EQ(cqe[done].res, 6);
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
}

static void by_ring(unsigned char *at, int value)
{
	CHECK_EQ(pwrite(ring.file, code_of(value), 6, 0), 6);
	submit(IORING_OP_READ, ring.file, at, 0);
}

/* The buffer is registered: its pages stay the kernel's to write to. */
static void by_fixed_ring(unsigned char *at, int value)
{
	CHECK_EQ(pwrite(ring.file, code_of(value), 6, 0), 6);
	submit(IORING_OP_READ_FIXED, ring.file, at, 0);
}

/* The kernel waits for what is to be read, while the old code runs on. */
static void by_late_ring(unsigned char *at, int value)
{
	submit(IORING_OP_WRITE, ends[1], memcpy(at + 64, code_of(value), 6), (uint64_t)-1);
	CHECK(value == 0 || call(at) == value - 1);
	submit(IORING_OP_READ, ends[0], at, (uint64_t)-1);
}

static void many(const char *name, void (*put)(unsigned char *, int), unsigned char *at)
{
	int sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		put(at, i);
		sum += call(at);
	}
	CHECK_EQ(sum, SUM);
	STEP("%s: %d", name, sum);
}

/* ---- Files ---- */

static int file;
static unsigned char *view;

static void by_file(unsigned char *at, int value)
{
	(void)at;
	CHECK_EQ(pwrite(file, code_of(value), 6, 0), 6);
}

static void by_view(unsigned char *at, int value)
{
	(void)at;
	memcpy(view, code_of(value), 6);
}

/* Private mappings that nobody has written to are the file. */
static void files(void)
{
	char name[64];
	int other;

	for (int kind = 0; kind < 2; kind++) {
		file = memfd_create("code", 0);
		NEED(file >= 0 && ftruncate(file, 4096) == 0);
		snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
		other = kind % 2 ? open(name, O_RDONLY) : file;
		NEED(other >= 0);
		unsigned char *code = map(RX, MAP_PRIVATE, other);

		many(kind % 2 ? "file, by a reader" : "file", by_file, code);
		view = map(PROT_READ | PROT_WRITE, MAP_SHARED, file);
		many("view", by_view, code);
		close(file);
		if (other != file) /* the view alone is left to write by */
			many("view alone", by_view, map(RX, MAP_PRIVATE, other));
	}
}

static sigjmp_buf back;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	siglongjmp(back, signal << 8 | info->si_code);
}

/* What the call at `at` ends in: its result, or 256 * signal + code. */
static int try(const unsigned char *at)
{
	int r = sigsetjmp(back, 1);

	return r ? r : call(at);
}

static void taken_away(void)
{
	struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	unsigned char *code = map(RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	int status;

	NEED(sigaction(SIGBUS, &a, NULL) == 0 && sigaction(SIGSEGV, &a, NULL) == 0);
	file = memfd_create("cut", 0);
	NEED(file >= 0 && ftruncate(file, 4096) == 0 && pwrite(file, code_of(5), 6, 0) == 6);
	unsigned char *mapped = map(RX, MAP_PRIVATE, file);

	CHECK_EQ(try(mapped), 5);
	CHECK(ftruncate(file, 0) == 0);
	CHECK_EQ(try(mapped), SIGBUS << 8 | BUS_ADRERR);
	NEED(ftruncate(file, 4096) == 0 && pwrite(file, code_of(6), 6, 0) == 6);
	CHECK_EQ(try(mapped), 6);
	fflush(stdout);
	for (int i = 0; i < 2; i++) { /* another process does */
		pid_t pid = fork();

		if (pid == 0)
			_exit(ftruncate(file, i * 4096) == 0 &&
					      (i == 0 || pwrite(file, code_of(7), 6, 0) == 6)
				      ? 3
				      : 1);
		NEED(waitpid(pid, &status, 0) == pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
		CHECK_EQ(try(mapped), i ? 7 : SIGBUS << 8 | BUS_ADRERR);
	}
	STEP("ftruncate");
	memcpy(code, code_of(7), 6);
	CHECK_EQ(try(code), 7);
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		NEED(madvise(code, 4096, i ? MADV_DONTFORK : MADV_WIPEONFORK) == 0);
		pid_t pid = fork();

		/* Two zeros are add %al, (%rax): rax is 0 there. */
		if (pid == 0) {
			int r = sigsetjmp(back, 1);

			if (!r)
				__asm__ volatile("xor %%eax, %%eax\n\tcall *%1"
						 : "=a"(r)
						 : "r"(code)
						 : "memory");
			_exit(r == (SIGSEGV << 8 | SEGV_MAPERR) ? 9 : r == 7 ? 1 : 2);
		}
		NEED(waitpid(pid, &status, 0) == pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 9);
		CHECK_EQ(call(code), 7);
	}
	NEED(madvise(code, 4096, MADV_DOFORK) == 0 && madvise(code, 4096, MADV_KEEPONFORK) == 0);
	STEP("fork");
	memcpy(code, code_of(8), 6);
	CHECK_EQ(call(code), 8);
	NEED(madvise(code, 4096, MADV_DONTNEED) == 0);
	CHECK_EQ(code[0], 0);
	memcpy(code, code_of(9), 6);
	CHECK_EQ(call(code), 9);
	void *room = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(room != MAP_FAILED);
	unsigned char *moved = mremap(code, 4096, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, room);

	NEED(moved != MAP_FAILED);
	CHECK_EQ(call(moved), 9);
	memcpy(moved, code_of(10), 6);
	CHECK_EQ(call(moved), 10);
	STEP("moved");
	/* Memory is not short: the pages stay until then. */
	NEED(madvise(moved, 4096, MADV_FREE) == 0);
	CHECK_EQ(call(moved), 10);
	for (int i = 0; i < ROUNDS; i++) {
		memcpy(moved, code_of(i), 6);
		CHECK_EQ(call(moved), i);
		NEED(madvise(moved, 4096, i % 2 ? MADV_FREE : MADV_DONTNEED) == 0);
		CHECK(i % 2 || moved[0] == 0);
	}
	STEP("freed");
}

/* What was translated before there was a ring is written to by it, too. */
static void by_rings(unsigned char *at)
{
	unsigned char *fixed = map(RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct iovec whole = {fixed, 4096};

	memcpy(at, code_of(3), 6);
	CHECK_EQ(call(at), 3);
	if (!make_ring()) {
		STEP("no rings");
		return;
	}
	many("ring", by_ring, at);
	memcpy(fixed, code_of(4), 6);
	CHECK_EQ(call(fixed), 4);
	NEED(syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS, &whole, 1) == 0);
	many("registered", by_fixed_ring, fixed);
	many("late", by_late_ring, at);
}

int main(void)
{
	unsigned char *fixed = map(RX, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	unsigned char *open_pages = mmap(NULL, 8192, RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *at = open_pages + 4096;

	alarm(20);
	mem = open("/proc/self/mem", O_RDWR);
	NEED(mem >= 0 && open_pages != MAP_FAILED && pipe(ends) == 0);
	NEED(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
	many("pwrite", by_pwrite, fixed);
	many("write", by_write, fixed);
	many("writev", by_writev, fixed);
	many("pwritev", by_pwritev, fixed);
	many("process_vm_writev", by_process_vm, at);
	many("read", by_read, at);
	many("readv", by_readv, at);
	many("recv", by_recv, at);
	many("recvmsg", by_recvmsg, at);
	many("vmsplice", by_vmsplice, at);
	many("a long read", by_long_read,
	     mmap(NULL, 8192, RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096);
	files();
	taken_away();
	/* From here on the kernel may write at any time. */
	by_rings(at);
	many("aio", by_aio, at);
	return check_end();
}
