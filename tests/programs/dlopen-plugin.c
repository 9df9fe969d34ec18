/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loaded and unloaded by dlopen.c: code, data, thread-local data, constructor, destructor. */
int *plugin_log;
static __thread int calls;
static int loaded;

__attribute__((constructor)) static void construct(void)
{
	loaded = 1;
}

__attribute__((destructor)) static void destruct(void)
{
	if (plugin_log)
		*plugin_log += 1000;
}

int plugin_call(int x);
int plugin_call(int x)
{
	calls++;
	return x * 3 + calls + loaded;
}
