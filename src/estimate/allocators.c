/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known allocation functions, by name and by library. */
#include "estimate/allocators.h"

#include <string.h>

#include "base/text.h"
#include "estimate/own_code.h"

/* Whole names. */
static const char *const names[] = {
	"malloc",
	"calloc",
	"realloc",
	"reallocarray",
	"memalign",
	"aligned_alloc",
	"posix_memalign",
	"valloc",
	"pvalloc",
	"strdup",
	"strndup",
	"__libc_malloc",
	"__libc_calloc",
	"__libc_realloc",
	/* gnulib, libiberty and countless programs */
	"xmalloc",
	"xcalloc",
	"xrealloc",
	"xreallocarray",
	"xzalloc",
	"xstrdup",
	"xstrndup",
	"xmemdup",
	"xmemdup0",
	"xnmalloc",
	"xnrealloc",
	"xcharalloc",
	"x2realloc",
	"x2nrealloc",
	"ximalloc",
	"xinmalloc",
	"xizalloc",
	"xicalloc",
	"xirealloc",
	"xireallocarray",
	"x2nrealloc",
	"xpalloc",
	"xvasprintf",
	"xasprintf",
	"safe_malloc",
	"safe_calloc",
	"safe_realloc",
	"emalloc",
	"ecalloc",
	"erealloc",
	"_obstack_newchunk",
	"_obstack_begin",
	"call_chunkfun",
	/* sqlite */
	"dbMallocRawFinish",
	"dbReallocFinish",
	"mallocWithAlarm",
	"pcache1Alloc",
	"pcache1AllocPage",
};

/* Beginnings of names. */
static const char *const beginnings[] = {
	"operator new",
	"std::",
	"__gnu_cxx::",
	"__cxa_allocate",
	/* glib */
	"g_malloc",
	"g_realloc",
	"g_try_malloc",
	"g_try_realloc",
	"g_slice_alloc",
	"g_slice_copy",
	"g_strdup",
	"g_strndup",
	"g_memdup",
	/* python */
	"PyMem_",
	"_PyMem_",
	"PyObject_Malloc",
	"PyObject_Calloc",
	"PyObject_Realloc",
	"_PyObject_Malloc",
	"_PyObject_Calloc",
	"_PyObject_Realloc",
	"_PyObject_GC_",
	"PyObject_GC_",
	"_PyObject_New",
	"PyType_GenericAlloc",
	"_PyType_AllocNoTrack",
	/* perl */
	"Perl_safesys",
	"Perl_more_bodies",
	/* sqlite */
	"sqlite3Malloc",
	"sqlite3DbMalloc",
	"sqlite3DbRealloc",
	"sqlite3DbStr",
	"sqlite3DbSpan",
	"sqlite3MemMalloc",
	"sqlite3MemRealloc",
	"sqlite3Realloc",
	"sqlite3_malloc",
	"sqlite3_realloc",
	/* Go: functions behind new, make and append */
	"runtime.",
	/* Rust: the runtime, and functions behind Vec, Box and HashMap */
	"__rust_alloc",
	"__rust_realloc",
	"__rdl_",
	"__rustc::",
	"alloc::",
	"<alloc::",
	"core::",
	"<core::",
	"<std::",
	"hashbrown::",
	"<hashbrown::",
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool begins_with_any(const char *s, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(s, list[i], strlen(list[i])) == 0)
			return true;
	return false;
}

/* Skip the return type in front of instances of templates. */
static const char *without_return_type(const char *function)
{
	const char *name = function;
	int depth = 0;

	for (const char *c = function; *c != '\0' && (*c != '(' || depth > 0); c++) {
		depth += (*c == '<') - (*c == '>');
		if (*c == ' ' && depth == 0)
			name = c + 1;
	}
	return name;
}

/* Tell whether it is this name, with or without arguments. */
static bool is_function(const char *function, const char *name)
{
	size_t length = strlen(name);

	return strncmp(function, name, length) == 0 &&
	       (function[length] == '\0' || function[length] == '(');
}

bool allocator_is_wrapper(const char *function, const char *file, const char *module)
{
	/* Names as "<T as alloc::vec::...>::from_elem" do not show that they are Rust's own. */
	if (own_code_is_module(module) || own_code_is_of_rust(file))
		return true;
	if (strncmp(function, "operator ", 9) != 0)
		function = without_return_type(function);
	for (size_t i = 0; i < COUNT(names); i++)
		if (is_function(function, names[i]))
			return true;
	return begins_with_any(function, beginnings, COUNT(beginnings));
}

const struct store_frame *allocator_caller(const struct profile *p, const struct store_site *site,
					   bool is_pool)
{
	const struct store_frame *first = NULL;

	for (size_t i = 0; i < site->path_count; i++) {
		const struct store_location *l = profile_location(p, site->path[i]);
		const char *module = l != NULL ? profile_module_path(p, l) : NULL;

		for (uint32_t k = 0; l != NULL && k < l->frame_count; k++) {
			if (first == NULL)
				first = &l->frames[k];
			if (!is_pool && k < l->handed)
				continue;
			if (is_pool ? !own_code_is_module(module)
				    : !allocator_is_wrapper(l->frames[k].function,
							    l->frames[k].file, module))
				return &l->frames[k];
		}
	}
	return first;
}
