/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of this program itself: complete, with separate debug information, and stripped. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/symbols.h"

extern const char __executable_start[];

struct probe {
	struct probe *next;
	long numbers[7];
};

double matrix[40][50];
short tall[200][40000]; /* whose last numbers have the highest bit of their bytes set */
struct probe *heads[16];
int (*handlers[4])(char *, int);
const char *const words[2] = {"a", "b"};
const volatile long table[3] = {1};
static volatile struct probe chains[10];
static int single_line = __LINE__ + 1;
static long single;
__thread int of_thread;
static __thread volatile short of_each[3][5];
static int thread_line = __LINE__ - 1;

static char folder[] = "/tmp/dwell-data-XXXXXX";
static char self[512];

static __attribute__((noinline)) uint64_t *next_id(void)
{
	static uint64_t ids[100];

	ids[3]++;
	return ids;
}

/* All addresses up to `high`, many at a time. */
struct walk {
	struct symbols *symbols;
	int file;
	uint64_t at, high, step;
	struct symbols_variable found[500];
	size_t count, next;
};

/* The next address's that has a variable; NULL at the end. */
static const struct symbols_variable *next_variable(struct walk *w)
{
	uint64_t addresses[500];

	for (;;) {
		while (w->next < w->count)
			if (w->found[w->next++].name != NULL)
				return &w->found[w->next - 1];
		for (w->next = w->count = 0; w->count < 500 && w->at < w->high; w->at += w->step)
			addresses[w->count++] = w->at;
		if (w->count == 0)
			return NULL;
		symbols_variables(w->symbols, w->file, addresses, w->count, w->found);
	}
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

static uint64_t address_of(const volatile void *p)
{
	return (uint64_t)((const volatile char *)p - __executable_start);
}

struct expected {
	const volatile void *at; /* an address inside */
	const volatile void *start;
	uint64_t bytes, element_bytes;
	const char *name, *type;
};

static void check_typed(const char *path)
{
	const struct expected all[] = {
		{&matrix[39][49], matrix, sizeof(matrix), 8, "matrix", "double[40][50]"},
		{&tall[3][3], tall, sizeof(tall), 2, "tall", "short int[200][40000]"},
		{&heads[3], heads, sizeof(heads), 8, "heads", "struct probe *[16]"},
		{&handlers[3], handlers, sizeof(handlers), 8, "handlers",
		 "int (*[4])(char *, int)"},
		{&words[1], words, sizeof(words), 8, "words", "const char *const[2]"},
		{&chains[9].numbers[6], chains, sizeof(chains), 64, "chains",
		 "volatile struct probe[10]"},
		{&table[1], table, sizeof(table), 8, "table", "volatile const long int[3]"},
		{&single, &single, sizeof(single), 0, "single", "long int"},
		{next_id() + 99, next_id(), 800, 8, "next_id::ids", "uint64_t[100]"},
	};
	struct symbols *s = symbols_new();
	int file = symbols_file(s, path);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct expected *e = &all[i];
		struct symbols_variable v;

		assert_true(symbols_variable(s, file, address_of(e->at), &v));
		assert_string_equal(v.name, e->name);
		assert_string_equal(v.type, e->type);
		assert_int_equal(v.start, address_of(e->start));
		assert_int_equal(v.end - v.start, e->bytes);
		assert_int_equal(v.element_bytes, e->element_bytes);
		assert_non_null(strstr(v.file, "tests/unit/test_symbols_data.c"));
		assert_false(v.is_section);
		if (strcmp(v.name, "single") == 0)
			assert_int_equal(v.line, single_line);
	}
	symbols_free(s);
}

static void a_variable_has_name_type_and_place(void **state)
{
	check_typed(self);
}

static void check_apart(const char *option)
{
	char path[600];

	if (run("cd %s && rm -f apart apart.debug && objcopy --only-keep-debug %s %s apart.debug "
		"&& "
		"objcopy --strip-all --add-gnu-debuglink=apart.debug %s apart",
		folder, option, self, self) != 0)
		skip();
	snprintf(path, sizeof(path), "%s/apart", folder);
	check_typed(path);
}

static void debug_information_may_be_apart(void **state)
{
	check_apart("--decompress-debug-sections");
}

static void debug_information_may_be_apart_and_compressed(void **state)
{
	check_apart("--compress-debug-sections=zlib");
}

static void without_debug_information_symbols_name_it(void **state)
{
	struct symbols *s = symbols_new();
	struct symbols_variable v;
	char path[600];

	if (run("objcopy --strip-debug %s %s/symbols", self, folder) != 0)
		skip();
	snprintf(path, sizeof(path), "%s/symbols", folder);
	assert_true(symbols_variable(s, symbols_file(s, path), address_of(&matrix[1][1]), &v));
	assert_string_equal(v.name, "matrix");
	assert_null(v.type);
	assert_null(v.file);
	assert_int_equal(v.end - v.start, sizeof(matrix));
	symbols_free(s);
}

static void without_symbols_the_section_does(void **state)
{
	struct symbols *s = symbols_new();
	struct symbols_variable v;
	char path[600];

	if (run("objcopy --strip-all %s %s/bare", self, folder) != 0)
		skip();
	snprintf(path, sizeof(path), "%s/bare", folder);
	assert_true(symbols_variable(s, symbols_file(s, path), address_of(&single), &v));
	assert_string_equal(v.name, ".bss of bare");
	assert_true(v.is_section);
	assert_true(v.start <= address_of(&single) && address_of(&single) < v.end);
	symbols_free(s);
}

/* The search for variables goes by steps of many bytes, of which the last is not full. */
static void variables_are_found_up_to_the_end_of_the_section(void **state)
{
	char path[600], variables[400] = "";

	snprintf(path, sizeof(path), "%s/small", folder);
	for (int i = 0; i < 16; i++) {
		struct symbols *s = symbols_new();
		struct walk w = {.symbols = s, .step = 8};
		const struct symbols_variable *v;
		bool has_last = false;

		if (run("echo 'int a; long b[9]; %s int main(void) { static long last[9]; return "
			"last[8]; }' | "
			"cc -g -nostartfiles -nostdlib -static -e main -x c -o %s -",
			variables, path) != 0)
			skip();
		w.file = symbols_file(s, path);
		assert_true(symbols_extent(s, w.file, &w.at, &w.high));
		while ((v = next_variable(&w)) != NULL)
			has_last |= v->type != NULL && strcmp(v->name, "main::last") == 0;
		assert_true(has_last);
		symbols_free(s);
		/* One more byte for the name of the last but one. */
		snprintf(variables, sizeof(variables), "int x%.*s;", i + 1, "yyyyyyyyyyyyyyyyyyyy");
	}
}

/* Their addresses are offsets, which must not be taken for those of something else. */
static void thread_local_variables_are_no_others(void **state)
{
	struct symbols *s = symbols_new();
	struct walk w = {.symbols = s, .file = symbols_file(s, self), .step = 8};
	const struct symbols_variable *v;

	of_thread++;
	assert_true(symbols_extent(s, w.file, &w.at, &w.high));
	while ((v = next_variable(&w)) != NULL)
		assert_string_not_equal(v->name, "of_thread");
	symbols_free(s);
}

/*
 * Of the variable of that name its addresses, which are offsets in each thread's copy; false: there
 * is none.
 */
static bool find_local(struct symbols *s, int file, const char *name, struct symbols_variable *v)
{
	struct walk w = {s, file, SYMBOLS_LOCALS, SYMBOLS_LOCALS + 4096, 2};
	const struct symbols_variable *found;

	while ((found = next_variable(&w)) != NULL && strcmp(found->name, name) != 0)
		;
	if (found != NULL)
		*v = *found;
	return found != NULL;
}

static void thread_local_variables_have_addresses_of_their_own(void **state)
{
	struct symbols *s = symbols_new();
	int file = symbols_file(s, self);
	struct symbols_variable v, of_all;

	of_each[1][2]++;
	assert_true(find_local(s, file, "of_each", &v));
	assert_string_equal(v.type, "volatile short int[3][5]");
	assert_int_equal(v.end - v.start, 30);
	assert_int_equal(v.element_bytes, 2);
	assert_int_equal(v.line, thread_line);
	assert_true(find_local(s, file, "of_thread", &of_all));
	assert_int_equal(of_all.end - of_all.start, sizeof(of_thread));
	/* They lie to each other as they do in a thread. */
	assert_int_equal((int64_t)(v.start - of_all.start),
			 (const volatile char *)of_each - (const volatile char *)&of_thread);
	symbols_free(s);
}

static void without_debug_information_symbols_name_thread_local_variables(void **state)
{
	struct symbols *s = symbols_new();
	struct symbols_variable v;
	char path[600];

	if (run("objcopy --strip-debug %s %s/locals", self, folder) != 0)
		skip();
	snprintf(path, sizeof(path), "%s/locals", folder);
	assert_true(find_local(s, symbols_file(s, path), "of_each", &v));
	assert_null(v.type);
	assert_int_equal(v.end - v.start, 30);
	symbols_free(s);
}

static void the_extent_of_a_file_holds_its_variables(void **state)
{
	struct symbols *s = symbols_new();
	uint64_t low, high;

	assert_true(symbols_extent(s, symbols_file(s, self), &low, &high));
	assert_int_equal(low, 0);
	assert_true(high > address_of(&matrix[39][49]));
	assert_false(symbols_extent(s, symbols_file(s, "/etc/passwd"), &low, &high));
	assert_false(symbols_extent(s, symbols_file(s, "[vdso]"), &low, &high));
	symbols_free(s);
}

/* The variable of that name, by asking for all addresses. */
static bool find_typed(struct symbols *s, int file, const char *name, struct symbols_variable *v)
{
	struct walk w = {.symbols = s, .file = file, .step = 4};
	const struct symbols_variable *found;

	assert_true(symbols_extent(s, file, &w.at, &w.high));
	while ((found = next_variable(&w)) != NULL)
		if (found->type != NULL && strcmp(found->name, name) == 0)
			break;
	if (found != NULL)
		*v = *found;
	return found != NULL;
}

/* Types may stand in units of their own, or in a file that several programs share. */
static void types_from_elsewhere_have_their_scopes(void **state)
{
	static const char *const ways[] = {
		"c++ -gdwarf-4 -fdebug-types-section -o types types.cc",
		"c++ -gdwarf-5 -fdebug-types-section -o types types.cc",
		("command -v dwz >/dev/null && c++ -g -o types types.cc && cp types other && "
		 "dwz -m common types other && test -s common"),
	};
	bool any = false;
	char path[600];

	snprintf(path, sizeof(path), "%s/types", folder);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct symbols *s = symbols_new();
		struct symbols_variable v;
		int file;

		if (run("cd %s && rm -f types && echo 'namespace ns { struct node { long a[3]; }; "
			"enum class kind : char { ONE }; node nodes[70]; kind kinds[90]; } "
			"int main() { return (int)ns::nodes[1].a[0]; }' >types.cc && %s",
			folder, ways[i]) != 0) {
			symbols_free(s);
			continue;
		}
		any = true;
		file = symbols_file(s, path);
		assert_true(find_typed(s, file, "ns::nodes", &v));
		assert_string_equal(v.type, "ns::node[70]");
		assert_int_equal(v.element_bytes, 24);
		assert_true(find_typed(s, file, "ns::kinds", &v));
		assert_string_equal(v.type, "ns::kind[90]");
		assert_int_equal(v.element_bytes, 1);
		symbols_free(s);
	}
	if (!any)
		skip();
}

/* Bounds in the order of the source, which is that of memory turned round: as Fortran has them. */
static void types_of_fortran_are_as_fortran_writes_them(void **state)
{
	static const char source[] =
		"module plate\\n implicit none\\n"
		" real(8) :: grid(0:3,5)\\n character(len=16) :: names(20)\\n"
		" logical :: mask(-3:4)\\n real(8), allocatable :: big(:,:)\\n"
		" real(8), pointer :: view(:)\\n complex(4), pointer :: one\\n"
		" type node\\n integer :: id(3)\\n end type\\n type(node) :: nodes(7)\\n"
		"end module\\nend\\n";
	static const struct {
		const char *name, *type;
		uint64_t bytes, element_bytes;
	} all[] = {
		{"plate::grid", "real(kind=8)(0:3,5)", 160, 8},
		{"plate::names", "character(len=16)(20)", 320, 16},
		{"plate::mask", "logical(kind=4)(-3:4)", 32, 4},
		{"plate::big", "real(kind=8)(:,:), allocatable", 0, 0},
		{"plate::view", "real(kind=8)(:), pointer", 0, 0},
		{"plate::one", "pointer to complex(kind=4)", 8, 0},
		{"plate::nodes", "type(plate::node)(7)", 84, 12},
	};
	size_t found = 0;
	struct symbols *s = symbols_new();
	char path[600];
	int file;

	snprintf(path, sizeof(path), "%s/plate", folder);
	if (run("cd %s && command -v gfortran >/dev/null && printf '%s' >plate.f90 && "
		"gfortran -g -o plate plate.f90",
		folder, source) != 0) {
		symbols_free(s);
		skip();
	}
	file = symbols_file(s, path);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct symbols_variable v = {0};

		if (!find_typed(s, file, all[i].name, &v))
			continue;
		found++;
		assert_string_equal(v.type, all[i].type);
		assert_int_equal(v.element_bytes, all[i].element_bytes);
		if (all[i].bytes > 0)
			assert_int_equal(v.end - v.start, all[i].bytes);
	}
	assert_int_equal(found, sizeof(all) / sizeof(all[0]));
	symbols_free(s);
}

/* Nothing is known then, or something wrong, but nothing breaks. */
static void damaged_debug_information_is_survived(void **state)
{
	static const char *const sections[] = {".debug_info", ".debug_abbrev", ".debug_str"};
	char path[600];

	snprintf(path, sizeof(path), "%s/damaged", folder);
	for (int i = 0; i < 24; i++) {
		struct symbols *s = symbols_new();
		struct symbols_variable v;

		if (run("cd %s && objcopy -O binary --set-section-flags %s=alloc -j %s %s part && "
			"dd if=/dev/urandom of=part bs=16 count=%d seek=$((%d * $(stat -c %%s "
			"part) / "
			"400)) conv=notrunc status=none && objcopy --update-section %s=part %s "
			"damaged",
			folder, sections[i % 3], sections[i % 3], self, i % 4 + 1, i,
			sections[i % 3], self) != 0)
			skip();
		symbols_variable(s, symbols_file(s, path), address_of(&matrix[3][3]), &v);
		symbols_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_variable_has_name_type_and_place),
		cmocka_unit_test(debug_information_may_be_apart),
		cmocka_unit_test(debug_information_may_be_apart_and_compressed),
		cmocka_unit_test(without_debug_information_symbols_name_it),
		cmocka_unit_test(without_symbols_the_section_does),
		cmocka_unit_test(variables_are_found_up_to_the_end_of_the_section),
		cmocka_unit_test(thread_local_variables_are_no_others),
		cmocka_unit_test(thread_local_variables_have_addresses_of_their_own),
		cmocka_unit_test(without_debug_information_symbols_name_thread_local_variables),
		cmocka_unit_test(the_extent_of_a_file_holds_its_variables),
		cmocka_unit_test(types_from_elsewhere_have_their_scopes),
		cmocka_unit_test(types_of_fortran_are_as_fortran_writes_them),
		cmocka_unit_test(damaged_debug_information_is_survived),
	};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int failed;

	self[n > 0 ? n : 0] = '\0';
	if (mkdtemp(folder) == NULL)
		return 1;
	single = (long)(handlers[0] != NULL) + (long)(chains[0].next != NULL);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	run("rm -rf %s", folder);
	return failed;
}
