/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads traces of lackey and Dinero. */
#include "collector/simulation/trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MOST_LINE 65536u /* bytes */
#define MAX_BYTES 65536u /* of an access; a line with more is damaged */

/* ---- Lines ---- */

/* Returns the character after the number, or NULL if it is missing or too long. */
static const char *read_hex(const char *s, uint64_t *n)
{
	unsigned digits = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	for (*n = 0; isxdigit((unsigned char)*s); s++, digits++) {
		if (*n >> 60 != 0)
			return NULL;
		*n = *n << 4 | (uint64_t)(*s <= '9' ? *s - '0' : (*s | 32) - 'a' + 10);
	}
	return digits > 0 ? s : NULL;
}

/* The simulation needs accesses that end below the last page of the address space. */
static int check_end(const struct trace_access *a, struct err *err)
{
	if (a->address > UINT64_MAX - 2 * (uint64_t)MAX_BYTES)
		return err_set(err, "the address is in the last pages of all");
	return 1;
}

static int read_lackey(const char *line, struct trace_access *a, struct err *err)
{
	static const char kinds[] = {
		[SIM_LOAD] = 'L', [SIM_STORE] = 'S', [SIM_MODIFY] = 'M', [SIM_FETCH] = 'I'};
	const char *s = line + strspn(line, " "), *kind;
	uint64_t bytes = 0;

	if (*s == '\0' || strncmp(s, "==", 2) == 0 || strncmp(s, "--", 2) == 0)
		return 0;
	kind = memchr(kinds, *s, sizeof(kinds));
	if (kind == NULL || s[1] != ' ')
		return err_set(err, "an access begins with I, L, S or M and a blank");
	a->kind = (enum sim_access)(kind - kinds);
	s = read_hex(s + 1 + strspn(s + 1, " "), &a->address);
	if (s == NULL || *s != ',')
		return err_set(err, "an access is an address in hex, a comma and its bytes");
	for (s++; isdigit((unsigned char)*s) && bytes <= MAX_BYTES; s++)
		bytes = bytes * 10 + (uint64_t)(*s - '0');
	if (bytes == 0 || bytes > MAX_BYTES || s[strspn(s, " \r")] != '\0')
		return err_set(err, "the bytes of an access are a number from 1 to %u", MAX_BYTES);
	a->bytes = (uint32_t)bytes;
	return check_end(a, err);
}

static int read_dinero(const char *line, struct trace_access *a, struct err *err)
{
	static const enum sim_access kinds[] = {SIM_LOAD, SIM_STORE, SIM_FETCH};
	const char *s = line + strspn(line, " \t\r");

	if (*s == '\0' || *s == '#')
		return 0;
	if (*s < '0' || *s > '2' || (s[1] != ' ' && s[1] != '\t'))
		return err_set(err, "an access begins with 0, 1 or 2 and a blank");
	a->kind = kinds[*s - '0'];
	a->bytes = 1;
	s = read_hex(s + 1 + strspn(s + 1, " \t"), &a->address);
	if (s == NULL || (*s != '\0' && !isspace((unsigned char)*s)))
		return err_set(err, "after its label an access has an address in hex");
	return check_end(a, err);
}

int trace_read_line(enum trace_format format, const char *line, struct trace_access *a,
		    struct err *err)
{
	return format == TRACE_DINERO ? read_dinero(line, a, err) : read_lackey(line, a, err);
}

/* ---- Files ---- */

/* A line that both formats ignore does not decide. */
static enum trace_format guess(const char *line)
{
	struct trace_access a;

	if (read_dinero(line, &a, NULL) > 0)
		return TRACE_DINERO;
	return read_lackey(line, &a, NULL) > 0 ? TRACE_LACKEY : TRACE_GUESS;
}

static void simulate(struct sim_core *c, const struct trace_access *a, uint64_t events[])
{
	if (a->kind == SIM_FETCH) {
		events[SIM_IR]++;
		c->tag = c->stride_tag = (uint32_t)a->address;
		if (!sim_core_fetch_is_noop(c, a->address, a->bytes))
			sim_core_fetch(c, a->address, a->bytes, events);
		return;
	}
	events[a->kind == SIM_STORE ? SIM_DW : SIM_DR]++;
	if (!sim_core_data_is_noop(c, a->address, a->bytes, a->kind))
		sim_core_data(c, a->address, a->bytes, a->kind, events);
}

/* Charge line use: without tags, it is just summed up. */
static void charge(void *context, uint32_t tag, unsigned event, uint64_t amount)
{
	uint64_t *events = context;

	(void)tag;
	events[event] += amount;
}

/* Returns 1 for an access, 0 for a line without one, or -1 with *err. */
static int read_any(enum trace_format *format, const char *line, struct trace_access *a,
		    struct err *err)
{
	if (*format == TRACE_GUESS)
		*format = guess(line);
	if (*format != TRACE_GUESS)
		return trace_read_line(*format, line, a, err);
	if (read_lackey(line, a, NULL) == 0 || read_dinero(line, a, NULL) == 0)
		return 0;
	return err_set(err, "this is no access as lackey or dinero write them");
}

int trace_simulate(FILE *in, const char *name, enum trace_format format, struct sim_hierarchy *h,
		   uint64_t events[SIM_MAX_EVENTS], struct err *err)
{
	struct trace_access a;
	uint64_t number = 0, accesses = 0;
	struct text line = {0};
	int kind = 0, more = 0;

	h->shared.charge = charge;
	h->shared.charge_context = events;
	while (kind >= 0 && (more = text_read_line(&line, in, MOST_LINE)) > 0) {
		number++;
		kind = read_any(&format, text_get(&line), &a, err);
		if (kind > 0) {
			simulate(&h->core, &a, events);
			accesses++;
		}
	}
	sim_hierarchy_finish(h);
	text_release(&line);
	if (kind < 0)
		return err_prefix(err, "%s, line %llu: ", name, (unsigned long long)number);
	if (ferror(in))
		return err_set(err, "cannot read %s: %s", name, strerror(errno));
	if (more < 0)
		return err_set(err, "%s, line %llu: more than %u bytes: this is no trace", name,
			       (unsigned long long)number + 1, MOST_LINE);
	return accesses > 0 ? 0 : err_set(err, "%s: there is no access in it", name);
}
