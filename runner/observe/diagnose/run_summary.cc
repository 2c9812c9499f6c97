#include "runner/observe/diagnose/run_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "runner/observe/diagnose/step_mark.h"
#include "runner/observe/diagnose/tflops_formula.h"
#include "runner/observe/text/cursor.h"

namespace zs {
namespace {

std::string_view TrainerName(Trainer trainer) {
  switch (trainer) {
    case Trainer::kMegatron:
      return "megatron";
    case Trainer::kDeepSpeed:
      return "deepspeed";
    case Trainer::kTorchtitan:
      return "torchtitan";
    case Trainer::kLlmC:
      return "llm.c";
    case Trainer::kEngine:
      return "engine";
  }
  return "unknown";
}

int64_t IntArgument(const RunFacts& facts,
                    std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto it = facts.arguments.find(name);
    int64_t value = -1;
    if (it != facts.arguments.end() && Cursor(it->second).TakeNumber(value)) {
      return value;
    }
  }
  return -1;
}

int StageOf(std::string_view strategy) {
  constexpr std::string_view kNames[] = {"no_shard", "optim", "optim_grads",
                                         "optim_grads_params"};
  for (int stage = 0; stage < 4; ++stage) {
    if (strategy == kNames[stage]) {
      return stage;
    }
  }
  return -1;
}

// A line with the iterations (FROM, fact.iteration] that it speaks for.
struct Interval {
  const StepFact* fact = nullptr;
  int64_t from = 0;
  bool counted = true;
  double ms = kNoNumber;  // an iteration
};

// Time of a step where only time stamps tell it.
double BetweenStamps(const StepFact& last, const StepFact& step) {
  const auto steps = static_cast<double>(step.iteration - last.iteration);
  const double seconds = step.time_s - last.time_s;
  return steps > 0 && seconds > 0 ? seconds * 1000 / steps : kNoNumber;
}

std::vector<Interval> Intervals(const StepSeries& series,
                                const std::vector<int64_t>& disturbed) {
  std::vector<Interval> all;
  const std::vector<StepFact>& steps = series.steps;
  all.reserve(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    Interval interval;
    interval.fact = &steps[i];
    interval.ms = steps[i].step_ms;
    if (i > 0 && interval.ms != interval.ms) {
      interval.ms = BetweenStamps(steps[i - 1], steps[i]);
    }
    int64_t width = steps[i].width;
    if (width <= 0) {  // the first line: as wide as the next, or from the start
      width = steps.size() > 1 && steps[1].width > 0 ? steps[1].width
                                                     : steps[i].iteration;
    }
    interval.from = std::max<int64_t>(0, steps[i].iteration - width);
    const bool megatron = series.trainer == Trainer::kMegatron;
    const StepSpan span = {.from = interval.from,
                           .iteration = interval.fact->iteration,
                           .first_line = megatron ? steps[0].iteration : 0};
    interval.counted =
        interval.ms == interval.ms && StepMark(span, disturbed).empty();
    all.push_back(interval);
  }
  return all;
}

double At(const std::vector<double>& sorted, double quantile) {
  const double place = quantile * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(place);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(low);
  return sorted[low] * (1 - part) + sorted[high] * part;
}

// Tokens of one iteration; -1 unknown.
double TokensAStep(const RunFacts& facts, const StepSeries& series,
                   const StepFact& step, int64_t sequence) {
  if (step.tokens > 0) {
    return static_cast<double>(step.tokens);
  }
  if (series.trainer == Trainer::kLlmC) {
    return static_cast<double>(IntArgument(facts, {"total batch size"}));
  }
  return step.global_batch > 0 && sequence > 0
             ? static_cast<double>(step.global_batch * sequence)
             : -1;
}

void Times(std::vector<double> times, PhaseSummary& phase) {
  if (times.empty()) {
    return;
  }
  std::sort(times.begin(), times.end());
  phase.median_ms = At(times, 0.5);
  phase.p95_ms = At(times, 0.95);
  phase.min_ms = times.front();
  phase.max_ms = times.back();
  double sum = 0;
  for (const double ms : times) {
    sum += ms;
  }
  phase.mean_ms = sum / static_cast<double>(times.size());
  double squares = 0;
  for (const double ms : times) {
    squares += (ms - phase.mean_ms) * (ms - phase.mean_ms);
  }
  if (times.size() > 1) {
    phase.cv = std::sqrt(squares / static_cast<double>(times.size() - 1)) /
               phase.mean_ms;
  }
}

class PhaseMaker {
 public:
  PhaseMaker(const RunFacts& facts, const StepSeries& series,
             const RunSummary& run, const SummaryOptions& options)
      : facts_(facts), series_(series), run_(run), options_(options) {}

  // INTERVALS share one global batch.
  PhaseSummary Make(std::vector<Interval> intervals) const {
    PhaseSummary phase;
    const StepFact& first = *intervals.front().fact;
    const StepFact& last = *intervals.back().fact;
    phase.first_iteration = intervals.front().from + 1;
    phase.last_iteration = last.iteration;
    phase.steps = last.iteration - intervals.front().from;
    phase.global_batch = first.global_batch;
    const int64_t tokens = IntArgument(facts_, {"total batch size"});
    if (phase.global_batch < 0 && tokens > 0 && run_.sequence_length > 0) {
      phase.global_batch = tokens / run_.sequence_length;  // llm.c
    }
    for (Interval& interval : intervals) {
      interval.counted &= interval.fact->iteration >=
                          phase.first_iteration + options_.warmup_steps;
      if (phase.first_loss != phase.first_loss) {
        phase.first_loss = interval.fact->loss;
      }
      phase.last_loss = interval.fact->loss == interval.fact->loss
                            ? interval.fact->loss
                            : phase.last_loss;
    }
    const bool none =
        std::none_of(intervals.begin(), intervals.end(),
                     [](const Interval& interval) { return interval.counted; });
    phase.warmup_included = none;
    Rates(intervals, none, phase);
    return phase;
  }

 private:
  void Rates(const std::vector<Interval>& intervals, bool all,
             PhaseSummary& phase) const {
    std::vector<double> times;
    std::vector<double> tflops;
    double ms = 0;
    double tokens = 0;
    double samples = 0;
    double printed = 0;
    for (const Interval& interval : intervals) {
      const StepFact& step = *interval.fact;
      if ((!interval.counted && !all) || interval.ms != interval.ms) {
        continue;
      }
      const auto steps = static_cast<double>(step.iteration - interval.from);
      times.push_back(interval.ms);
      phase.counted += step.iteration - interval.from;
      ms += interval.ms * steps;
      tokens +=
          TokensAStep(facts_, series_, step, run_.sequence_length) * steps;
      samples += static_cast<double>(step.global_batch) * steps;
      printed += step.tokens_per_s_per_gpu * interval.ms * steps;
      if (step.tflops == step.tflops) {
        tflops.push_back(step.tflops);
      }
    }
    Times(times, phase);
    if (!tflops.empty()) {
      std::sort(tflops.begin(), tflops.end());
      phase.tflops_printed = At(tflops, 0.5);
    }
    if (ms <= 0) {
      return;
    }
    if (samples > 0) {
      phase.samples_per_s = samples / ms * 1000;
    }
    if (tokens > 0) {
      phase.tokens_per_s = tokens / ms * 1000;
    } else if (printed == printed && run_.world_size > 0) {
      phase.tokens_per_s = printed / ms * run_.world_size;
    }
    if (run_.world_size > 0) {
      phase.tokens_per_s_per_gpu = phase.tokens_per_s / run_.world_size;
    } else if (printed == printed) {
      phase.tokens_per_s_per_gpu = printed / ms;
    }
  }

  const RunFacts& facts_;
  const StepSeries& series_;
  const RunSummary& run_;
  const SummaryOptions& options_;
};

// DeepSpeed tells the same steps as Megatron, or one source repeats another.
bool Repeats(const RunFacts& facts, const StepSeries& series) {
  for (const StepSeries& other : facts.series) {
    if (&other == &series || other.steps.empty()) {
      continue;
    }
    const bool better = series.trainer == Trainer::kDeepSpeed &&
                        other.trainer == Trainer::kMegatron;
    const bool copy =
        other.trainer == series.trainer && other.source != series.source &&
        (other.lines > series.lines ||
         (other.lines == series.lines && other.source < series.source));
    if (better || copy) {
      return true;
    }
  }
  return false;
}

int World(const RunFacts& facts) {
  if (facts.world > 0) {
    return facts.world;
  }
  const int64_t argument = IntArgument(facts, {"world_size"});
  return argument > 0 ? static_cast<int>(argument) : facts.nccl_ranks;
}

void TakeMemory(const RunFacts& facts, const StepSeries& series,
                RunSummary& run) {
  for (const auto& [rank, use] : facts.memory) {
    run.memory_peak_mib = std::fmax(run.memory_peak_mib, use.max_allocated_mib);
    run.memory_reserved_mib =
        std::fmax(run.memory_reserved_mib, use.max_reserved_mib);
  }
  if (run.memory_peak_mib != run.memory_peak_mib) {
    run.memory_peak_mib = series.memory_gib == series.memory_gib
                              ? series.memory_gib * 1024
                              : facts.device_mib;
  }
}

RunSummary Summarize(const RunFacts& facts, const StepSeries& series,
                     const std::vector<int64_t>& disturbed,
                     const SummaryOptions& options) {
  RunSummary run;
  run.trainer = TrainerName(series.trainer);
  run.file = facts.sources[series.source].path;
  run.iterations_planned = series.total;
  run.last_iteration = series.last_iteration;
  run.completed = series.total > 0 && run.last_iteration >= series.total;
  if (facts.end.has_value() && facts.end->first == EndReason::kDone) {
    run.completed = series.total <= 0 || run.completed;
  }
  run.world_size = World(facts);
  run.nodes = facts.NodeCount() > 0 ? facts.NodeCount() : -1;
  run.sequence_length = IntArgument(
      facts, {"seq_length", "encoder_seq_length", "sequence length T"});
  if (run.sequence_length <= 0) {
    run.sequence_length = series.sequence_tokens;
  }
  run.micro_batch =
      IntArgument(facts, {"micro_batch_size", "micro batch size B"});
  run.zero_requested = ZeroRequested(facts);
  if (facts.parallel.has_value()) {
    run.zero_effective = facts.parallel->zero_stage;
    run.wrapper = facts.parallel->wrapper;
    run.strategy = facts.parallel->strategy;
  }
  run.tflops_formula = TflopsFormula(facts, series);
  TakeMemory(facts, series, run);
  run.stride = series.stride;
  run.skipped_iterations = series.skipped;
  run.nan_iterations = series.nan_iterations;
  const PhaseMaker maker(facts, series, run, options);
  std::vector<Interval> phase;
  for (const Interval& interval : Intervals(series, disturbed)) {
    const StepFact& step = *interval.fact;
    run.final_loss = step.loss == step.loss ? step.loss : run.final_loss;
    if (!phase.empty() &&
        phase.back().fact->global_batch != step.global_batch) {
      run.phases.push_back(maker.Make(std::move(phase)));
      phase.clear();
    }
    phase.push_back(interval);
  }
  run.phases.push_back(maker.Make(std::move(phase)));
  // Where only every few lines were kept the last one still says its loss.
  Cursor last(series.last_quote);
  if (series.stride > 1 && last.TakeThrough("lm loss: ")) {
    last.TakeNumber(run.final_loss);
    run.phases.back().last_loss = run.final_loss;
  }
  return run;
}

std::string_view OptionOf(std::string_view command, std::string_view name) {
  Cursor cursor(command);
  if (!cursor.TakeThrough(name) || cursor.empty() ||
      (cursor.rest()[0] != ' ' && cursor.rest()[0] != '=')) {
    return {};
  }
  cursor.Skip(1);
  return cursor.TakeWord();
}

}  // namespace

int ZeroRequested(const RunFacts& facts) {
  for (const LaunchFact& launch : facts.launches) {
    const std::string_view text = launch.text;
    const std::string_view strategy =
        OptionOf(text, "--data-parallel-sharding-strategy");
    if (const int stage = StageOf(strategy); stage >= 0) {
      return stage;
    }
    for (const std::string_view name : {"--zero-stage", "ZERO_STAGE"}) {
      int stage = -1;
      if (Cursor(OptionOf(text, name)).TakeInt(stage)) {
        return stage;
      }
    }
    if (text.find("--use-distributed-optimizer") != std::string_view::npos) {
      return 1;
    }
    if (text.find("--num-layers") != std::string_view::npos) {
      return 0;  // Megatron's command without any of them
    }
  }
  const int64_t argument =
      IntArgument(facts, {"zero_stage", "zero_optimization_stage"});
  return static_cast<int>(argument);
}

std::vector<RunSummary> SummarizeRuns(const RunFacts& facts,
                                      const SummaryOptions& options) {
  const std::vector<int64_t> disturbed = PausesOf(facts);
  std::vector<RunSummary> runs;
  for (const StepSeries& series : facts.series) {
    if (!series.steps.empty() && !Repeats(facts, series)) {
      runs.push_back(Summarize(facts, series, disturbed, options));
    }
  }
  return runs;
}

}  // namespace zs
