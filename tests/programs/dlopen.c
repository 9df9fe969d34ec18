/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A shared object is loaded, called and unloaded two hundred times; PLUGIN is its path. */
#include "check.h"
#include <dlfcn.h>

int main(void)
{
	int log = 0;

	CHECK(dlopen("/nonexistent/library.so", RTLD_NOW) == NULL);
	for (int i = 0; i < 200; i++) {
		void *h = dlopen(PLUGIN, i % 2 ? RTLD_NOW : RTLD_LAZY);
		int (*call)(int), **plugin_log;

		if (!h)
			puts(dlerror());
		NEED(h);
		call = (int (*)(int))dlsym(h, "plugin_call");
		plugin_log = dlsym(h, "plugin_log");
		NEED(call && plugin_log);
		*plugin_log = &log;
		/* Fresh each time: the thread-local count starts at zero again. */
		CHECK_EQ(call(i), i * 3 + 2);
		CHECK_EQ(call(i), i * 3 + 3);
		CHECK(dlclose(h) == 0);
		CHECK_EQ(log, 1000 * (i + 1));
	}
	STEP("loaded and unloaded 200 times");
	return check_end();
}
