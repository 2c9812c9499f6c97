#include "runner/cli/terminal_progress.h"

#include <array>
#include <cmath>

#include "base/strings.h"

namespace zs {
namespace {

constexpr char kGreen[] = "\x1b[32m";
constexpr char kRed[] = "\x1b[31m";
constexpr char kYellow[] = "\x1b[33m";
constexpr char kPlain[] = "\x1b[0m";
constexpr int64_t kLiveNs = 100'000'000;
constexpr int64_t kPlainNs = 10'000'000'000;

std::string Fixed(double value, int decimals) {
  std::array<char, 64> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return {text.data(), static_cast<size_t>(size)};
}

std::string Seconds(double s) {
  return Fixed(s, s < 10 ? 1 : 0) + " s";
}

std::string Plural(int64_t n, const std::string& word) {
  return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
}

// "ZeRO 1, 2 ranks, gpt_smoke".
std::string Describe(const Experiment& experiment) {
  std::string text;
  if (experiment.backend == Backend::kEngine ||
      experiment.backend == Backend::kMegatron) {
    text = "ZeRO " + std::to_string(experiment.train.zero_stage) + ", ";
  }
  text += Plural(experiment.world_size(), "rank");
  if (!experiment.model.name.empty()) {
    text += ", " + experiment.model.name;
  }
  return text;
}

// "z1  step 3/30  12,346 tokens/s  loss 2.5000  ETA 4.0 s", as far as it is
// known.
std::string StepText(const Experiment& experiment,
                     const results::StepRow& step) {
  std::string text = experiment.name + "  step " + std::to_string(step.step);
  if (experiment.has_train) {
    text += "/" + std::to_string(experiment.train.steps);
  }
  const double step_ms = step.step_ms.value_or(0);
  if (step_ms > 0 && step.tokens.has_value()) {
    text += "  " +
            WithCommas(static_cast<double>(*step.tokens) / step_ms * 1000) +
            " tokens/s";
  }
  if (step.loss.has_value()) {
    text += "  loss " + Fixed(*step.loss, 4);
  }
  if (step.step_ms.has_value() && experiment.has_train) {
    const auto left = static_cast<double>(experiment.train.steps - step.step);
    text += "  ETA " + Seconds(left * step_ms / 1000);
  }
  return text;
}

struct Look {
  const char* tag;
  const char* color;
};

Look LookOf(results::Verdict verdict) {
  switch (verdict) {
    case results::Verdict::kPass:
      return {"[ PASS ]", kGreen};
    case results::Verdict::kFail:
      return {"[ FAIL ]", kRed};
    case results::Verdict::kUndecided:
      return {"[  ??  ]", kYellow};
  }
  return {"", ""};
}

}  // namespace

std::string WithCommas(double n) {
  std::string digits = Fixed(n, 0);
  const size_t sign = digits.starts_with('-') ? 1 : 0;
  for (size_t at = digits.size(); at > sign + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

void TerminalProgress::ClearLive() {
  if (live_shown_) {
    std::fputs("\r\x1b[K", options_.out);
    live_shown_ = false;
  }
}

void TerminalProgress::Line(const std::string& tag, const char* color,
                            const std::string& text) {
  ClearLive();
  const std::string shown = Printable(text);
  if (options_.color) {
    std::fprintf(options_.out, "%s%s%s %s\n", color, tag.c_str(), kPlain,
                 shown.c_str());
  } else {
    std::fprintf(options_.out, "%s %s\n", tag.c_str(), shown.c_str());
  }
  std::fflush(options_.out);
}

void TerminalProgress::SweepStarted(const std::string& sweep, int experiments,
                                    int to_run) {
  Line("[======]", "",
       sweep + ": " + Plural(experiments, "experiment") + ", " +
           std::to_string(to_run) + " to run");
}

void TerminalProgress::NotRun(const Experiment& experiment,
                              results::NotRun state,
                              const std::string& reason) {
  const bool cached = state == results::NotRun::kCached;
  Line(cached ? "[CACHED]" : "[ SKIP ]", cached ? kGreen : kYellow,
       experiment.name + ": " + reason);
}

void TerminalProgress::RunStarted(const Experiment& experiment, int repeat,
                                  int attempt) {
  run_started_ns_ = clock_.monotonic_ns();
  last_shown_ns_ = run_started_ns_;
  std::string text = experiment.name + "  " + Describe(experiment);
  if (experiment.repeats > 1) {
    text += ", repeat " + std::to_string(repeat) + " of " +
            std::to_string(experiment.repeats);
  }
  if (attempt > 1) {
    text += ", attempt " + std::to_string(attempt);
  }
  Line("[ RUN  ]", "", text);
}

void TerminalProgress::Step(const Experiment& experiment,
                            const results::StepRow& step) {
  const int64_t now_ns = clock_.monotonic_ns();
  if (now_ns - last_shown_ns_ < (options_.live ? kLiveNs : kPlainNs)) {
    return;
  }
  last_shown_ns_ = now_ns;
  const std::string text = StepText(experiment, step);
  if (!options_.live) {
    Line("[  ..  ]", "", text);
    return;
  }
  std::fprintf(options_.out, "\r\x1b[K         %s", Printable(text).c_str());
  std::fflush(options_.out);
  live_shown_ = true;
}

void TerminalProgress::RunEnded(const Experiment& experiment,
                                const results::RunOutcome& outcome,
                                const Measured& measured) {
  const Look look = LookOf(outcome.verdict);
  std::string text = experiment.name + "  ";
  if (outcome.verdict != results::Verdict::kPass) {
    text += outcome.verdict_reason;
  } else {
    text += Plural(measured.steps, "step");
    if (measured.tokens_per_s.has_value()) {
      text += ", " + WithCommas(*measured.tokens_per_s) + " tokens/s";
    }
    if (measured.final_loss.has_value()) {
      text += ", loss " + Fixed(*measured.final_loss, 4);
    }
  }
  const double elapsed_s =
      static_cast<double>(clock_.monotonic_ns() - run_started_ns_) * 1e-9;
  Line(look.tag, look.color, text + " (" + Seconds(elapsed_s) + ")");
}

void TerminalProgress::Note(const std::string& text) {
  Line("[ NOTE ]", kYellow, text);
}

}  // namespace zs
