/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches of limited associativity: S sets of A ways, lines falling into sets at random.
 *
 * LRU within sets (Hill and Smith, Evaluating associativity in CPU caches, 1989, section 4): with s
 * other lines touched since, the line was replaced when at least A of them fell into its set:
 *
 *	P(miss) = 1 - sum_{a<A} C(s,a) (1/S)^a (1-1/S)^(s-a)
 *
 * That is a fully associative cache of as many lines as it takes for A of them to fall into the
 * set: a number that is distributed as Pascal says (negative binomial, mean S A), instead of one
 * that is fixed. Random replacement is taken by the same idea: the fully associative ratio, averaged
 * over that distribution.
 */
#include <math.h>

#include "model/parts.h"

#define NEGLIGIBLE 1e-13 /* of a sum */

/* ln P(exactly a of n fall into the set), p = 1/S. */
static double log_binomial(double n, double a, double p)
{
	return lgamma(n + 1) - lgamma(a + 1) - lgamma(n - a + 1) + a * log(p) +
	       (n - a) * log1p(-p);
}

/*
 * P(at least `ways` of n fall into the set), n whole. *last gets the chance of exactly ways - 1. The
 * tail without the most likely number is summed, whose terms fall from the first on.
 */
static double chance_of(double n, double ways, double p, double *last)
{
	double odds = p / (1 - p), sum = 0, term, a = ways - 1;

	*last = n >= a ? exp(log_binomial(n, a, p)) : 0;
	if (n < ways)
		return 0;
	if (n * p < ways) {
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
double sets_miss(double stack, double sets, double ways)
{
	double n = floor(stack), p = 1 / sets, last, miss;

	if (sets <= 1)
		return stack >= ways ? 1 : 0;
	if (stack <= ways - 1)
		return 0;
	if (ways <= 1)
		return -expm1(stack * log1p(-p));
	miss = chance_of(n, ways, p, &last);
	return fmin(1, miss + (stack - n) * p * last);
}

/* Eigenvalues below x of the Jacobi matrix of Laguerre's polynomials (Sturm's sequence). */
static unsigned count_below(double alpha, double x)
{
	double q = 1;
	unsigned below = 0;

	for (int j = 0; j < MODEL_SETS_NODES; j++) {
		q = 2 * j + alpha + 1 - x - (j > 0 ? j * (j + alpha) / q : 0);
		if (fabs(q) < 1e-300)
			q = 1e-300;
		below += q < 0;
	}
	return below;
}

/* Christoffel's number of the node x: one over the sum of the squared orthonormal polynomials. */
static double node_weight(double alpha, double x)
{
	double before = 0, value = 1, sum = 0;

	for (int j = 0; j < MODEL_SETS_NODES; j++) {
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
void sets_nodes(double sets, double ways, double lines[MODEL_SETS_NODES],
		double weight[MODEL_SETS_NODES])
{
	double scale = sets - 1, alpha = sets * ways / scale - 1;
	double most = 4 * MODEL_SETS_NODES + 2 * alpha + 2 +
		      2 * sqrt(MODEL_SETS_NODES * (MODEL_SETS_NODES + alpha));

	for (unsigned k = 0; k < MODEL_SETS_NODES; k++) {
		double low = 0, high = most;

		for (int i = 0; i < 60; i++) {
			double middle = (low + high) / 2;

			if (count_below(alpha, middle) > k)
				high = middle;
			else
				low = middle;
		}
		lines[k] = low * scale;
		weight[k] = node_weight(alpha, low);
	}
}
