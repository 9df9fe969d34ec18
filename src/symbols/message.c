/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions and answers over a socket; see message.h. */
#include "symbols/message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NO_STRING UINT64_MAX

int message_send(int fd, const void *bytes, size_t count)
{
	const char *at = bytes;

	while (count > 0) {
		ssize_t n = send(fd, at, count, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		count -= (size_t)n;
	}
	return 0;
}

int message_receive(int fd, void *bytes, size_t count)
{
	char *at = bytes;

	while (count > 0) {
		ssize_t n = recv(fd, at, count, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		count -= (size_t)n;
	}
	return 0;
}

/* Space for descriptors, as sendmsg() requires. */
union along {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(MESSAGE_ALONG * sizeof(int))];
};

int message_send_question(int fd, struct message_question *q, const int along[MESSAGE_ALONG])
{
	union along control = {.bytes = {0}};
	struct iovec part = {q, sizeof(*q)};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
	int sent[MESSAGE_ALONG];
	size_t count = 0;
	ssize_t n;

	for (size_t i = 0; i < MESSAGE_ALONG; i++) {
		q->has_along[i] = along[i] >= 0;
		if (along[i] >= 0)
			sent[count++] = along[i];
	}
	if (count > 0) {
		struct cmsghdr *c;

		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE(count * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(c), sent, count * sizeof(int));
	}
	do
		n = sendmsg(fd, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n > 0 ? message_send(fd, (const char *)q + n, sizeof(*q) - (size_t)n) : -1;
}

int message_receive_question(int fd, struct message_question *q, int along[MESSAGE_ALONG])
{
	union along control = {.bytes = {0}};
	struct iovec part = {q, sizeof(*q)};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	int received[MESSAGE_ALONG];
	size_t count = 0, next = 0;
	struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return -1;
	c = CMSG_FIRSTHDR(&m);
	if (c != NULL && c->cmsg_type == SCM_RIGHTS && c->cmsg_len >= CMSG_LEN(0)) {
		count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(received, CMSG_DATA(c), count * sizeof(int));
	}
	if (message_receive(fd, (char *)q + n, sizeof(*q) - (size_t)n) != 0)
		return -1;
	for (size_t i = 0; i < MESSAGE_ALONG; i++)
		along[i] = q->has_along[i] && next < count ? received[next++] : -1;
	return 0;
}

void message_add(struct text *t, uint64_t number)
{
	text_add_bytes(t, (const char *)&number, sizeof(number));
}

void message_add_string(struct text *t, const char *string)
{
	message_add(t, string != NULL ? strlen(string) : NO_STRING);
	if (string != NULL)
		text_add(t, string);
}

uint64_t message_take(struct message_reader *r)
{
	uint64_t number;

	if ((size_t)(r->end - r->at) < sizeof(number)) {
		r->is_bad = true;
		return 0;
	}
	memcpy(&number, r->at, sizeof(number));
	r->at += sizeof(number);
	return number;
}

const char *message_take_string(struct message_reader *r, size_t *bytes)
{
	uint64_t length = message_take(r);
	const char *string = (const char *)r->at;

	*bytes = 0;
	if (r->is_bad || length == NO_STRING)
		return NULL;
	if (length > (uint64_t)(r->end - r->at)) {
		r->is_bad = true;
		return NULL;
	}
	r->at += length;
	*bytes = length;
	return string;
}
