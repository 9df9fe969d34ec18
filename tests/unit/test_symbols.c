/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of this program itself: complete, with separate debug information, and stripped. */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "symbols/private.h"
#include "symbols/remote.h"
#include "symbols/symbols.h"

extern const char __executable_start[];

static const char *probed_pc;
static volatile int sink;

static __attribute__((noinline)) void probe(void)
{
	probed_pc = (const char *)__builtin_return_address(0) - 1;
	sink++;
}

static int inner_line, outer_line;

/* clang-format off: the call stands on a line of its own */
static inline __attribute__((always_inline)) void inner(void)
{
	inner_line = __LINE__ + 1;
	probe();
	sink++;
}

static __attribute__((noinline)) void outer(void)
{
	outer_line = __LINE__ + 1;
	inner();
	sink++;
}
/* clang-format on */

static char folder[] = "/tmp/dwell-symbols-XXXXXX";
static char self[512];

/* The address as the file counts: this program is position independent and starts at 0. */
static uint64_t probed_address(void)
{
	return (uint64_t)(probed_pc - __executable_start);
}

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int run(const char *format, ...)
{
	char command[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

static void check_frames(const struct symbols_frame *f, size_t count)
{
	assert_int_equal(count, 2);
	assert_string_equal(f[0].function, "inner");
	assert_int_equal(f[0].line, inner_line);
	assert_non_null(strstr(f[0].file, "tests/unit/test_symbols.c"));
	assert_string_equal(f[1].function, "outer");
	assert_int_equal(f[1].line, outer_line);
	assert_non_null(strstr(f[1].file, "tests/unit/test_symbols.c"));
}

static void the_inlined_chain_has_functions_and_lines(void **state)
{
	struct symbols *s = symbols_new();
	const struct symbols_frame *f, *again;
	int file = symbols_file(s, self);
	size_t count;

	(void)state;
	assert_true(file >= 0);
	count = symbols_resolve(s, file, probed_address(), &f);
	check_frames(f, count);
	symbols_resolve(s, file, probed_address(), &again);
	assert_ptr_equal(f, again);
	symbols_free(s);
}

static void a_file_has_one_number_and_a_build_id(void **state)
{
	struct symbols *s = symbols_new();
	int file = symbols_file(s, self);

	(void)state;
	assert_int_equal(symbols_file(s, self), file);
	assert_int_not_equal(symbols_file(s, "/bin/sh"), file);
	if (symbols_build_id(s, file) != NULL)
		assert_int_equal(strlen(symbols_build_id(s, file)), 40);
	symbols_free(s);
}

/* Put the debug information in a file of its own, made with the option, and ask. */
static void check_apart(const char *option)
{
	struct symbols *s = symbols_new();
	const struct symbols_frame *f;
	char path[600];
	int file;
	size_t count;

	if (run("cd %s && rm -f apart apart.debug && objcopy --only-keep-debug %s %s apart.debug "
		"&& "
		"objcopy --strip-all --add-gnu-debuglink=apart.debug %s apart",
		folder, option, self, self) != 0)
		skip();
	snprintf(path, sizeof(path), "%s/apart", folder);
	file = symbols_file(s, path);
	count = symbols_resolve(s, file, probed_address(), &f);
	check_frames(f, count);
	symbols_free(s);
}

static void debug_information_apart_is_found_by_its_link(void **state)
{
	(void)state;
	check_apart("--decompress-debug-sections");
}

static void debug_information_apart_may_be_compressed(void **state)
{
	(void)state;
	check_apart("--compress-debug-sections=zlib");
}

/* The reader, which is forked after the file is known, has the descriptor that the asker found. */
static void a_debug_file_in_another_namespace_is_kept_for_the_reader(void **state)
{
	struct symbols *s = symbols_new();
	const struct symbols_frame *f;
	char path[600];
	size_t count;
	int file;

	(void)state;
	if (run("cd %s && mkdir -p hidden && objcopy --only-keep-debug %s hidden/debug && "
		"objcopy --strip-all %s hidden/bare",
		folder, self, self) != 0)
		skip();
	snprintf(path, sizeof(path), "%s/hidden/bare", folder);
	file = symbols_file(s, path);
	snprintf(path, sizeof(path), "%s/hidden/debug", folder);
	symbols_get(s, file)->debug_fd = open(path, O_RDONLY | O_CLOEXEC);
	count = symbols_resolve(s, file, probed_address(), &f);
	check_frames(f, count);
	symbols_free(s);
}

/* As most compilers that are not GCC leave it. */
static void units_are_found_without_a_table_of_their_addresses(void **state)
{
	(void)state;
	check_apart("--remove-section=.debug_aranges");
	check_apart("--remove-section=.debug_aranges --compress-debug-sections=zlib");
}

/* Lines and variables, whether the rest is in a file of its own, there or not. */
static void units_may_be_split(void **state)
{
	const struct symbols_frame *f;
	char path[600];

	(void)state;
	snprintf(path, sizeof(path), "%s/split", folder);
	for (int version = 4; version <= 5; version++)
		for (int has_dwo = 1; has_dwo >= 0; has_dwo--) {
			struct symbols *s = symbols_new();
			struct symbols_variable v;
			int file, found = 0;

			if (run("cd %s && printf 'long all[300];\\nstatic inline "
				"__attribute__((always_inline)) long in(long *p) {\\n"
				"return p[0]; }\\nint main(void) {\\nreturn in(all); }\\n' "
				">split.c && cc -gdwarf-%d -gsplit-dwarf -O0 -o split split.c "
				"&& test -n \"$(echo *.dwo)\" && { [ %d = 1 ] || rm *.dwo; }",
				folder, version, has_dwo) != 0)
				skip();
			file = symbols_file(s, path);
			for (uint64_t at = 0x1000; at < 0x2000; at++) {
				size_t count = symbols_resolve(s, file, at, &f);

				if (f[0].line != 3)
					continue;
				assert_int_equal(count, has_dwo ? 2 : 1);
				assert_string_equal(f[0].function, has_dwo ? "in" : "main");
				assert_string_equal(f[count - 1].function, "main");
				assert_non_null(strstr(f[count - 1].file, "split.c"));
				found++;
			}
			assert_true(found > 0);
			for (uint64_t at = 0x3000, end = 0x6000; at < end && found > 0; at += 8)
				if (symbols_variable(s, file, at, &v) &&
				    strcmp(v.name, "all") == 0) {
					assert_int_equal(v.end - v.start, 2400);
					if (has_dwo)
						assert_string_equal(v.type, "long int[300]");
					found = 0;
				}
			assert_int_equal(found, 0);
			symbols_free(s);
		}
}

/* Whether some address of the file is in the function, and has a line. */
static bool has_line_in(const char *path, const char *function)
{
	struct symbols *s = symbols_new();
	int file = symbols_file(s, path);
	const struct symbols_frame *f;
	uint64_t at, low, high;
	bool found = false;

	assert_true(symbols_extent(s, file, &low, &high));
	for (at = low; at < high && !found; at++)
		found = symbols_resolve(s, file, at, &f) > 0 && f[0].line == 1 &&
			strcmp(f[0].function, function) == 0;
	symbols_free(s);
	return found;
}

/* Programs of objects by several compilers. */
static void the_table_of_addresses_may_lack_some_units(void **state)
{
	static const char *const options[] = {"--decompress-debug-sections",
					      "--compress-debug-sections=zlib"};
	char path[600];

	(void)state;
	snprintf(path, sizeof(path), "%s/mixed", folder);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (run("cd %s && echo 'int lone(void) { return 1; }' >lone.c && "
			"echo 'int lone(void); int main(void) { return lone(); }' >main.c && "
			"cc -g -c lone.c main.c && objcopy -R .debug_aranges "
			"-R .rela.debug_aranges lone.o && cc -o mixed lone.o main.o && "
			"objcopy --only-keep-debug %s mixed mixed.debug && "
			"objcopy --strip-all --add-gnu-debuglink=mixed.debug mixed",
			folder, options[i]) != 0)
			skip();
		assert_true(has_line_in(path, "main"));
		assert_true(has_line_in(path, "lone"));
	}
}

/* GCC has it as a function inside of the one that it was cut out of, with a name that says so. */
static void a_parallel_region_is_not_named_twice(void **state)
{
	struct symbols *s = symbols_new();
	const struct symbols_frame *f;
	bool found = false;
	char path[600];
	int file;

	(void)state;
	snprintf(path, sizeof(path), "%s/parallel", folder);
	if (run("cd %s && echo 'int shared; int main() { _Pragma(\"omp parallel\") shared++; "
		"return shared; }' >parallel.cc && g++ -fopenmp -g -O0 -o parallel parallel.cc",
		folder) != 0)
		skip();
	file = symbols_file(s, path);
	for (uint64_t at = 0x1000; at < 0x2000; at++) {
		symbols_resolve(s, file, at, &f);
		found |= strcmp(f[0].function, "main._omp_fn.0") == 0;
		assert_null(strstr(f[0].function, "main::"));
	}
	assert_true(found);
	symbols_free(s);
}

/* They have no linkage names, and would all be "operator()" and "sum". */
static void local_functions_have_whole_names(void **state)
{
	static const char *const wanted[] = {
		"main::{lambda(int)#1}::operator()(int) const",
		"main::{lambda(int)#2}::operator()(int) const",
		"(anonymous namespace)::sum(int)",
		"(anonymous namespace)::sum(long)",
		"(anonymous namespace)::inlined",
	};
	struct symbols *s = symbols_new();
	const struct symbols_frame *f;
	bool found[5] = {false};
	char path[600];
	int file;

	(void)state;
	snprintf(path, sizeof(path), "%s/local", folder);
	if (run("cd %s && echo 'namespace { int sum(int a) { return a + 1; } int sum(long a) { "
		"return (int)a + 2; } inline __attribute__((always_inline)) int inlined(int a) { "
		"return a * 3; } } int main(int argc, char **) { auto one = [](int a) { return a; "
		"}; auto two = [](int a) { return a + 5; }; return sum(argc) + sum(2L) + one(3) + "
		"two(argc) + inlined(argc); }' >local.cc && c++ -g -O0 -o local local.cc",
		folder) != 0)
		skip();
	file = symbols_file(s, path);
	for (uint64_t at = 0x1000; at < 0x2000; at++) {
		symbols_resolve(s, file, at, &f);
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			found[i] |= strcmp(f[0].function, wanted[i]) == 0;
	}
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_true(found[i]);
	symbols_free(s);
}

/* Nothing is known then, but nothing breaks either. */
static void damaged_compressed_debug_information_is_survived(void **state)
{
	const struct symbols_frame *f;
	char path[600];
	int i;

	(void)state;
	snprintf(path, sizeof(path), "%s/apart", folder);
	for (i = 1; i < 40; i++) {
		struct symbols *s = symbols_new();

		if (run("cd %s && rm -f apart.debug && objcopy --only-keep-debug "
			"--compress-debug-sections=zlib %s apart.debug && dd if=/dev/urandom "
			"of=apart.debug bs=16 count=%d seek=$((%d * $(stat -c %%s apart.debug) / "
			"640)) "
			"conv=notrunc status=none",
			folder, self, i % 3 + 1, i) != 0)
			skip();
		assert_true(symbols_resolve(s, symbols_file(s, path), probed_address(), &f) > 0);
		symbols_free(s);
	}
}

static void stripped_code_is_named_by_the_start_of_its_function(void **state)
{
	struct symbols *s = symbols_new();
	const struct symbols_frame *f;
	char path[600], expected[64];
	int file;

	(void)state;
	if (run("objcopy --strip-all %s %s/bare", self, folder) != 0)
		skip();
	snprintf(path, sizeof(path), "%s/bare", folder);
	snprintf(expected, sizeof(expected), "[bare+0x%" PRIx64 "]",
		 (uint64_t)((uintptr_t)outer - (uintptr_t)__executable_start));
	file = symbols_file(s, path);
	assert_int_equal(symbols_resolve(s, file, probed_address(), &f), 1);
	assert_string_equal(f[0].function, expected);
	assert_null(f[0].file);
	symbols_free(s);
}

static void a_deleted_file_keeps_its_names(void **state)
{
	struct symbols *s = symbols_new();
	const struct symbols_frame *f;
	char path[600];
	int file;
	size_t count;

	(void)state;
	snprintf(path, sizeof(path), "%s/gone", folder);
	assert_int_equal(run("cp %s %s", self, path), 0);
	file = symbols_file(s, path);
	unlink(path);
	count = symbols_resolve(s, file, probed_address(), &f);
	check_frames(f, count);
	symbols_free(s);
}

static void names_in_brackets_name_all_inside(void **state)
{
	struct symbols *s = symbols_new();
	const struct symbols_frame *f;
	int file = symbols_file(s, "[vdso]");

	(void)state;
	assert_int_equal(symbols_resolve(s, file, 0x123, &f), 1);
	assert_string_equal(f[0].function, "[vdso]");
	assert_int_equal(symbols_resolve(s, -1, 0x123, &f), 1);
	assert_string_equal(f[0].function, "[anon]");
	symbols_free(s);
}

static void files_that_are_no_elf_give_addresses(void **state)
{
	static const char *const paths[] = {"/etc/passwd", "/nonexistent/x", "/dev/null", "/tmp",
					    "relative"};
	struct symbols *s = symbols_new();
	const struct symbols_frame *f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		int file = symbols_file(s, paths[i]);

		assert_int_equal(symbols_address(s, file, 0x1234), 0x1234);
		assert_int_equal(symbols_resolve(s, file, 0x1234, &f), 1);
		assert_non_null(strstr(f[0].function, "+0x1234]"));
	}
	symbols_free(s);
}

static void a_truncated_elf_file_is_survived(void **state)
{
	struct symbols *s = symbols_new();
	const struct symbols_frame *f;
	char path[600];
	int bytes;

	(void)state;
	for (bytes = 16; bytes < 60000; bytes = bytes * 3 / 2) {
		int file;

		snprintf(path, sizeof(path), "%s/cut%d", folder, bytes);
		assert_int_equal(run("head -c %d %s > %s", bytes, self, path), 0);
		file = symbols_file(s, path);
		assert_true(file >= 0);
		assert_true(symbols_resolve(s, file, probed_address(), &f) >= 1);
	}
	symbols_free(s);
}

static void names_are_as_people_write_them(void **state)
{
	static const char *const names[][2] = {
		{"__plate_MOD_spread_across", "plate::spread_across"},
		{"_ZN4list3sumEi", "list::sum(int)"},
		{"__MOD_x", "__MOD_x"}, /* of no module */
		{"main", "main"},
		{"", ""},
	};
	struct arena a = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(symbols_demangle(&a, names[i][0]), names[i][1]);
	arena_release(&a);
}

/* The only child of this process. */
static pid_t find_child(void)
{
	FILE *f;
	long pid = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "r");
	if (f == NULL || fscanf(f, "%ld", &pid) != 1)
		pid = 0;
	if (f != NULL)
		fclose(f);
	return (pid_t)pid;
}

static uint64_t address_of(const char *code)
{
	return (uint64_t)(code - __executable_start);
}

static void a_reader_killed_again_and_again_costs_lines_and_then_names(void **state)
{
	struct symbols *s = symbols_new();
	const struct symbols_frame *f;
	int file = symbols_file(s, self);
	struct text line = {0};
	size_t next = 0;

	(void)state;
	symbols_resolve(s, file, probed_address(), &f);
	check_frames(f, 2);
	assert_false(symbols_next_loss(s, &next, &line));
	if (find_child() == 0)
		skip(); /* no such list in this kernel */
	/* Once says nothing of the file: another reader is asked. */
	kill(find_child(), SIGKILL);
	assert_true(symbols_resolve(s, file, address_of((const char *)find_child), &f) > 0);
	assert_string_equal(f[0].function, "find_child");
	assert_non_null(f[0].file);
	assert_false(symbols_next_loss(s, &next, &line));
	kill(find_child(), SIGKILL);
	/* Another file is known to nobody until it is asked for. */
	assert_true(symbols_file(s, "/bin/sh") > file);
	assert_int_equal(symbols_resolve(s, file, address_of((const char *)probe), &f), 1);
	assert_string_equal(f[0].function, "probe");
	assert_null(f[0].file);
	next = 0;
	assert_true(symbols_next_loss(s, &next, &line));
	assert_non_null(strstr(text_get(&line), "without lines"));
	kill(find_child(), SIGKILL);
	assert_int_equal(symbols_resolve(s, file, address_of((const char *)outer), &f), 1);
	assert_int_equal(f[0].function[0], '[');
	assert_true(symbols_resolve(s, symbols_file(s, "/bin/sh"), 0x5000, &f) > 0);
	text_release(&line);
	symbols_free(s);
	assert_int_equal(find_child(), 0);
}

static bool is_stopped(pid_t pid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f == NULL || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f != NULL)
		fclose(f);
	return state == 'T';
}

static void a_reader_that_is_stuck_is_replaced(void **state)
{
	struct symbols *s = symbols_new();
	const struct symbols_frame *f;
	int file = symbols_file(s, self);
	struct text line = {0};
	size_t next = 0;
	pid_t stopped;

	(void)state;
	symbols_resolve(s, file, probed_address(), &f);
	stopped = find_child();
	if (stopped == 0)
		skip(); /* no such list in this kernel */
	symbols_remote_stuck_s = 2;
	kill(stopped, SIGSTOP);
	for (int i = 0; i < 1000 && !is_stopped(stopped); i++)
		usleep(1000);
	assert_true(is_stopped(stopped));
	assert_true(symbols_resolve(s, file, address_of((const char *)find_child), &f) > 0);
	assert_string_equal(f[0].function, "find_child");
	assert_non_null(f[0].file);
	assert_int_not_equal(find_child(), stopped);
	assert_false(symbols_next_loss(s, &next, &line));
	symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_as_people_write_them),
		cmocka_unit_test(the_inlined_chain_has_functions_and_lines),
		cmocka_unit_test(a_file_has_one_number_and_a_build_id),
		cmocka_unit_test(debug_information_apart_is_found_by_its_link),
		cmocka_unit_test(debug_information_apart_may_be_compressed),
		cmocka_unit_test(a_debug_file_in_another_namespace_is_kept_for_the_reader),
		cmocka_unit_test(units_are_found_without_a_table_of_their_addresses),
		cmocka_unit_test(local_functions_have_whole_names),
		cmocka_unit_test(a_parallel_region_is_not_named_twice),
		cmocka_unit_test(units_may_be_split),
		cmocka_unit_test(the_table_of_addresses_may_lack_some_units),
		cmocka_unit_test(damaged_compressed_debug_information_is_survived),
		cmocka_unit_test(stripped_code_is_named_by_the_start_of_its_function),
		cmocka_unit_test(a_deleted_file_keeps_its_names),
		cmocka_unit_test(names_in_brackets_name_all_inside),
		cmocka_unit_test(files_that_are_no_elf_give_addresses),
		cmocka_unit_test(a_truncated_elf_file_is_survived),
		cmocka_unit_test(a_reader_killed_again_and_again_costs_lines_and_then_names),
		cmocka_unit_test(a_reader_that_is_stuck_is_replaced),
	};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int failed;

	self[n > 0 ? n : 0] = '\0';
	if (mkdtemp(folder) == NULL)
		return 1;
	outer();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	run("rm -rf %s", folder);
	return failed;
}
