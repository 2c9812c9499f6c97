#include "runner/backend/line_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "re2/re2.h"

namespace zs {
namespace {

// Beyond it a double no longer holds every whole number.
constexpr double kMaxWhole = 9007199254740992.0;

// Numbers as programs print them, to see whether an expression would have
// taken one.
constexpr std::string_view kDigits[] = {"0", "0.0000", "0.000000e+00",
                                        "0.000000E+00"};

std::unique_ptr<re2::RE2> Compile(const std::string& pattern) {
  if (pattern.empty()) {
    return nullptr;
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_max_mem(int64_t{1} << 20);
  auto expression = std::make_unique<re2::RE2>(pattern, options);
  const bool usable =
      expression->ok() && expression->NumberOfCapturingGroups() == 1;
  return usable ? std::move(expression) : nullptr;
}

// "1,234.5" and "1e3" too; nothing else beside the number.
std::optional<double> NumberOf(std::string digits) {
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  const bool whole = !digits.empty() && *end == '\0';
  return whole ? std::optional(number) : std::nullopt;
}

std::optional<int64_t> WholeOf(std::optional<double> number) {
  if (!number.has_value() || !(std::abs(*number) <= kMaxWhole)) {
    return std::nullopt;
  }
  return std::llround(*number);
}

}  // namespace

LineFigures::LineFigures(const CommandSpec& spec)
    : step_(Compile(spec.step_pattern)),
      step_ms_(Compile(spec.step_ms_pattern)),
      tokens_(Compile(spec.tokens_pattern)),
      loss_(Compile(spec.loss_pattern)),
      no_number_(Compile(R"((?i)(?:^|[^\w.])([-+]?(?:nan|inf(?:inity)?))\b)")) {
}

LineFigures::~LineFigures() = default;
LineFigures::LineFigures(LineFigures&& other) noexcept = default;

std::optional<double> LineFigures::Find(
    const std::unique_ptr<re2::RE2>& expression, std::string_view line) const {
  std::string group;
  const re2::StringPiece text(line.data(), line.size());
  if (expression == nullptr ||
      !re2::RE2::PartialMatch(text, *expression, &group)) {
    return std::nullopt;
  }
  return NumberOf(std::move(group));
}

std::optional<double> LineFigures::FindBadLoss(std::string_view line) const {
  re2::StringPiece word;
  const re2::StringPiece text(line.data(), line.size());
  if (loss_ == nullptr || !re2::RE2::PartialMatch(text, *no_number_, &word)) {
    return std::nullopt;
  }
  const size_t at = static_cast<size_t>(word.data() - line.data());
  for (const std::string_view digits : kDigits) {
    std::string with_digits(line);
    with_digits.replace(at, word.size(), digits);
    if (Find(loss_, with_digits).has_value()) {
      return NumberOf(std::string(word));
    }
  }
  return std::nullopt;
}

std::optional<results::StepRow> LineFigures::Take(std::string_view line) {
  if (const auto step_ms = Find(step_ms_, line)) {
    pending_.step_ms = step_ms;
  }
  if (const auto tokens = WholeOf(Find(tokens_, line))) {
    pending_.tokens = tokens;
  }
  if (const auto loss = Find(loss_, line)) {
    pending_.loss = loss;
  } else if (const auto bad_loss = FindBadLoss(line)) {
    pending_.loss = bad_loss;
  }
  const auto step = WholeOf(Find(step_, line));
  if (!step.has_value() || *step < 0) {
    return std::nullopt;
  }
  pending_.step = *step;
  return std::exchange(pending_, results::StepRow());
}

}  // namespace zs
