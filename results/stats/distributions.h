// Distribution functions that the C++ library lacks.
#ifndef RESULTS_STATS_DISTRIBUTIONS_H_
#define RESULTS_STATS_DISTRIBUTIONS_H_

namespace zs::results {

// P(Z <= x) of the standard normal distribution.
double NormalCdf(double x);

// The regularized incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1,
// by the continued fraction of DLMF 8.17.22.
double RegularizedBeta(double a, double b, double x);

// P(T <= t) of Student's distribution with DF > 0 degrees of freedom.
double StudentCdf(double t, double df);

// Where StudentCdf is P, 0 < P < 1.
double StudentQuantile(double p, double df);

}  // namespace zs::results

#endif  // RESULTS_STATS_DISTRIBUTIONS_H_
