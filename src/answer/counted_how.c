/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How counted misses are known; see counted_how.h. */
#include "answer/counted_how.h"

#include "base/text.h"

json_t *counted_how_json(const struct profile *p)
{
	json_t *o = json_object(), *caches = json_object();
	struct text how = {0};

	counted_put_how(p, &how);
	json_object_set_new(o, "exact", json_boolean(counted_are_exact(p)));
	json_object_set_new(o, "how", json_string(text_get(&how)));
	text_release(&how);
	json_object_set_new(o, "followed_share", json_real(p->followed_share));
	for (size_t i = 0; i < PROFILE_BOUNDS; i++)
		if (p->followed[i].unfollowed > 0)
			json_object_set_new(caches, p->followed[i].cache,
					    json_integer((json_int_t)p->followed[i].unfollowed));
	json_object_set_new(o, "not_followed", caches);
	return o;
}

void counted_title(const struct profile *p, const char *what, const char *more, struct text *out)
{
	text_add(out, what);
	counted_put_how(p, out);
	text_add(out, more);
}

void counted_title_end(const struct profile *p, struct text *out)
{
	text_add(out, "\n");
	counted_put_bounds(p, out);
}
