// Small least-squares problems with coefficients that cannot be negative.
#ifndef RUNNER_PREDICT_LEAST_SQUARES_H_
#define RUNNER_PREDICT_LEAST_SQUARES_H_

#include <vector>

namespace zs {

// The x >= 0 that minimizes sum over i of ((A_i . x - y_i) / y_i)^2, by trying
// every set of coefficients that are zero (at most 10 columns; Lawson and
// Hanson 1974, chapter 23, for why one such set holds the answer). Rows of A
// are as long as x; y_i > 0. Empty where there are no rows.
std::vector<double> NonNegativeLeastSquares(
    const std::vector<std::vector<double>>& a, const std::vector<double>& y);

}  // namespace zs

#endif  // RUNNER_PREDICT_LEAST_SQUARES_H_
