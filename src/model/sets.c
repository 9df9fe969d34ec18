/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches of limited associativity: S sets of A ways, lines falling into sets at random.
 *
 * LRU within sets (Hill and Smith, Evaluating associativity in CPU caches, 1989, section 4): with s
 * other lines touched since, the line was replaced when at least A of them fell into its set:
 *
 * 	P(miss) = 1 - sum_{a<A} C(s,a) (1/S)^a (1-1/S)^(s-a)
 *
 * That is a fully associative cache of as many lines as it takes for A of them to fall into the
 * set: a number that is distributed as Pascal says (negative binomial, mean S A), instead of one
 * that is fixed. Random replacement is taken by the same idea: the fully associative ratio,
 * averaged over that distribution.
 */
#include <math.h>

#include "model/parts.h"

#define NEGLIGIBLE 1e-13 /* of a sum */
#define NARROW	   8 /* ways from which on the distribution is so narrow that three nodes will do */

/* lgamma() writes a global variable, which two threads would share. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

void sets_init(struct sets *s, double sets, double ways)
{
	*s = (struct sets){sets, ways, -log(sets), log1p(-1 / sets), log_gamma(ways)};
}

/* ln P(exactly ways - 1 of n fall into the set). */
static double log_binomial(const struct sets *s, double n)
{
	double a = s->ways - 1;

	return log_gamma(n + 1) - s->log_factorial - log_gamma(n - a + 1) + a * s->log_here +
	       (n - a) * s->log_elsewhere;
}

/* The tail without the most likely number is summed, whose terms fall from the first on. */
double sets_chance(const struct sets *s, double n, double *last)
{
	double odds = 1 / (s->sets - 1), sum = 0, term, a = s->ways - 1;

	*last = n >= a ? exp(log_binomial(s, n)) : 0;
	if (n < s->ways)
		return 0;
	if (n < s->ways * s->sets) {
		for (term = *last; a < n && term >= 0; a++) {
			term *= (n - a) / (a + 1) * odds;
			sum += term;
			if (term <= NEGLIGIBLE * sum)
				break;
		}
		return fmin(1, sum);
	}
	for (term = *last; a >= 0; a--) {
		sum += term;
		term *= a / (n - a + 1) / odds;
		if (term <= NEGLIGIBLE * sum)
			break;
	}
	return fmax(0, 1 - sum);
}

/* Between whole distances, straight: one line more hits when it is the last that was missing. */
double sets_miss(const struct sets *s, double stack)
{
	double n = floor(stack), last, miss;

	if (s->sets <= 1)
		return stack >= s->ways ? 1 : 0;
	if (stack <= s->ways - 1)
		return 0;
	if (s->ways <= 1)
		return -expm1(stack * s->log_elsewhere);
	miss = sets_chance(s, n, &last);
	return fmin(1, miss + (stack - n) / s->sets * last);
}

/* Eigenvalues below x of the Jacobi matrix of Laguerre's polynomials (Sturm's sequence). */
static unsigned count_below(double alpha, unsigned nodes, double x)
{
	double q = 1;
	unsigned below = 0;

	for (unsigned j = 0; j < nodes; j++) {
		q = 2 * j + alpha + 1 - x - (j > 0 ? j * (j + alpha) / q : 0);
		if (fabs(q) < 1e-300)
			q = 1e-300;
		below += q < 0;
	}
	return below;
}

/* Christoffel's number of the node x: one over the sum of the squared orthonormal polynomials. */
static double node_weight(double alpha, unsigned nodes, double x)
{
	double before = 0, value = 1, sum = 0;

	for (unsigned j = 0; j < nodes; j++) {
		double next = (x - (2 * j + alpha + 1)) * value - sqrt(j * (j + alpha)) * before;

		sum += value * value;
		before = value;
		value = next / sqrt((j + 1) * (j + 1 + alpha));
	}
	return 1 / sum;
}

/*
 * Pascal's distribution as the gamma distribution of the same mean and variance, and of that the
 * nodes of Gauss's quadrature (Golub and Welsch).
 */
unsigned sets_nodes(const struct sets *s, double lines[MODEL_SETS_NODES],
		    double weight[MODEL_SETS_NODES])
{
	unsigned nodes = s->ways < NARROW ? MODEL_SETS_NODES : 3;
	double scale = s->sets - 1, alpha = s->sets * s->ways / scale - 1;
	double most = 4 * nodes + 2 * alpha + 2 + 2 * sqrt(nodes * (nodes + alpha));

	for (unsigned k = 0; k < nodes; k++) {
		double low = 0, high = most;

		for (int i = 0; i < 60; i++) {
			double middle = (low + high) / 2;

			if (count_below(alpha, nodes, middle) > k)
				high = middle;
			else
				low = middle;
		}
		lines[k] = low * scale;
		weight[k] = node_weight(alpha, nodes, low);
	}
	return nodes;
}
