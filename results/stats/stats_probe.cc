// Reads "METHOD; numbers; numbers" lines and prints what the method gives, all
// digits, a line each: for tests against other programs.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "results/stats/dependence.h"
#include "results/stats/distributions.h"
#include "results/stats/holm.h"
#include "results/stats/rank_test.h"
#include "results/stats/summary.h"
#include "results/stats/trend.h"

namespace zs::results {
namespace {

using Values = std::vector<double>;

Values NumbersOf(const std::string& text) {
  std::istringstream in(text);
  Values values;
  for (double value = 0; in >> value;) {
    values.push_back(value);
  }
  return values;
}

Values Answer(const std::string& method, const Values& a, const Values& b) {
  if (method == "quantile") {
    return {Quantile(a, b.at(0)).value()};
  }
  if (method == "holm") {
    return HolmAdjusted(a);
  }
  if (method == "rank") {
    const auto test = BrunnerMunzel(a, b).value();
    return {test.p_value, test.chance_first_smaller};
  }
  if (method == "autocovariance") {
    return Autocovariances(a, static_cast<size_t>(b.at(0)));
  }
  if (method == "slope") {
    return {TrendOf(a).value()};
  }
  if (method == "student") {
    return {StudentCdf(a.at(0), a.at(1)), StudentQuantile(b.at(0), a.at(1))};
  }
  return {};
}

}  // namespace
}  // namespace zs::results

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream parts(line);
    std::string method;
    std::string a;
    std::string b;
    std::getline(parts, method, ';');
    std::getline(parts, a, ';');
    std::getline(parts, b, ';');
    for (const double value : zs::results::Answer(
             method, zs::results::NumbersOf(a), zs::results::NumbersOf(b))) {
      std::printf("%.17g ", value);
    }
    std::printf("\n");
  }
}
