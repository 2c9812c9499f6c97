#include "results/stats/distributions.h"

#include <cmath>

namespace zs::results {
namespace {

// The continued fraction of DLMF 8.17.22 by Lentz's method.
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr double kPrecision = 1e-15;
  const auto away_from_zero = [](double value) {
    return std::abs(value) < kTiny ? kTiny : value;
  };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= 1000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd =
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < kPrecision) {
      break;
    }
  }
  return fraction;
}

}  // namespace

double NormalCdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double RegularizedBeta(double a, double b, double x) {
  if (x <= 0) {
    return 0;
  }
  if (x >= 1) {
    return 1;
  }
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
               a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on this side of the mean alone.
  return x < (a + 1) / (a + b + 2) ? front * BetaFraction(a, b, x) / a
                                   : 1 - front * BetaFraction(b, a, 1 - x) / b;
}

double StudentCdf(double t, double df) {
  // Two forms of the same tail: each keeps its digits where the other loses
  // them (DLMF 8.17.4).
  const double square = t * t;
  const double tail =
      square < df
          ? 0.5 - 0.5 * RegularizedBeta(0.5, df / 2, square / (df + square))
          : 0.5 * RegularizedBeta(df / 2, 0.5, df / (df + square));
  return t > 0 ? 1 - tail : tail;
}

double StudentQuantile(double p, double df) {
  double lo = -1;
  double hi = 1;
  while (StudentCdf(lo, df) > p && lo > -1e12) {
    lo *= 2;
  }
  while (StudentCdf(hi, df) < p && hi < 1e12) {
    hi *= 2;
  }
  for (int i = 0; i < 200 && hi - lo > 1e-14 * std::abs(hi); ++i) {
    const double middle = lo + (hi - lo) / 2;
    (StudentCdf(middle, df) < p ? lo : hi) = middle;
  }
  return lo + (hi - lo) / 2;
}

}  // namespace zs::results
