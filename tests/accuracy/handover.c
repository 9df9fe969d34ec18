/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads take turns, with many windows in them; then the first one runs mostly alone. */
#include <pthread.h>
#include <stdio.h>

#define ROUNDS 10
#define TURNS  400
#define SHORT  3000
#define LONG   60000000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;
static volatile long data[512];

static void work(int n)
{
	for (int i = 0; i < n; i++)
		data[i % 512] += i;
}

static void *take_turns(void *argument)
{
	const int me = argument != NULL;

	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&lock);
		while (turn != me)
			pthread_cond_wait(&changed, &lock);
		work(SHORT);
		turn = !turn;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t other;

	for (int i = 0; i < ROUNDS; i++) {
		turn = 0;
		if (pthread_create(&other, NULL, take_turns, &lock) != 0)
			return 1;
		take_turns(NULL);
		pthread_join(other, NULL);
	}
	work(LONG);
	puts("done");
	return 0;
}
