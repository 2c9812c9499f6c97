#include "runner/predict/least_squares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace zs {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Solves M x = V by elimination with pivots; false where M is singular.
bool Solve(Matrix m, std::vector<double> v, std::vector<double>& x) {
  const size_t n = v.size();
  for (size_t column = 0; column < n; ++column) {
    size_t pivot = column;
    for (size_t row = column + 1; row < n; ++row) {
      pivot =
          std::abs(m[row][column]) > std::abs(m[pivot][column]) ? row : pivot;
    }
    if (std::abs(m[pivot][column]) < 1e-12) {
      return false;
    }
    std::swap(m[pivot], m[column]);
    std::swap(v[pivot], v[column]);
    for (size_t row = 0; row < n; ++row) {
      if (row != column) {
        const double factor = m[row][column] / m[column][column];
        for (size_t k = column; k < n; ++k) {
          m[row][k] -= factor * m[column][k];
        }
        v[row] -= factor * v[column];
      }
    }
  }
  x.resize(n);
  for (size_t i = 0; i < n; ++i) {
    x[i] = v[i] / m[i][i];
  }
  return true;
}

// Rows divided by y, columns by their size, so that all weigh alike.
struct Scaled {
  Matrix a;
  std::vector<double> size;
};

Scaled ScaledBy(const Matrix& a, const std::vector<double>& y) {
  Scaled s{a, std::vector<double>(a.front().size(), 0)};
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t k = 0; k < s.size.size(); ++k) {
      s.a[i][k] /= y[i];
      s.size[k] = std::max(s.size[k], std::abs(s.a[i][k]));
    }
  }
  for (auto& row : s.a) {
    for (size_t k = 0; k < s.size.size(); ++k) {
      row[k] = s.size[k] > 0 ? row[k] / s.size[k] : 0;
    }
  }
  return s;
}

// The free least squares over COLUMNS against ones; empty where singular.
std::vector<double> Fit(const Matrix& a, const std::vector<size_t>& columns) {
  const size_t n = columns.size();
  Matrix m(n, std::vector<double>(n, 0));
  std::vector<double> v(n, 0);
  for (const auto& row : a) {
    for (size_t i = 0; i < n; ++i) {
      v[i] += row[columns[i]];
      for (size_t k = 0; k < n; ++k) {
        m[i][k] += row[columns[i]] * row[columns[k]];
      }
    }
  }
  std::vector<double> x;
  return Solve(m, v, x) ? x : std::vector<double>();
}

double Error(const Matrix& a, const std::vector<size_t>& columns,
             const std::vector<double>& x) {
  double sum = 0;
  for (const auto& row : a) {
    double value = -1;
    for (size_t i = 0; i < columns.size(); ++i) {
      value += row[columns[i]] * x[i];
    }
    sum += value * value;
  }
  return sum;
}

}  // namespace

std::vector<double> NonNegativeLeastSquares(const Matrix& a,
                                            const std::vector<double>& y) {
  if (a.empty()) {
    return {};
  }
  const Scaled scaled = ScaledBy(a, y);
  const size_t n = scaled.size.size();
  std::vector<double> best(n, 0);
  double least = std::numeric_limits<double>::infinity();
  for (size_t set = 1; set < (size_t{1} << n); ++set) {
    std::vector<size_t> columns;
    for (size_t k = 0; k < n; ++k) {
      if ((set >> k & 1) != 0) {
        columns.push_back(k);
      }
    }
    const auto x = Fit(scaled.a, columns);
    const bool allowed =
        !x.empty() && *std::min_element(x.begin(), x.end()) >= 0;
    if (allowed && Error(scaled.a, columns, x) < least) {
      least = Error(scaled.a, columns, x);
      std::fill(best.begin(), best.end(), 0.0);
      for (size_t i = 0; i < columns.size(); ++i) {
        best[columns[i]] = x[i] / scaled.size[columns[i]];
      }
    }
  }
  return best;
}

}  // namespace zs
