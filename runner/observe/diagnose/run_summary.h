// A run in figures: steps, times, rates, memory, losses, stage in effect.
#ifndef RUNNER_OBSERVE_DIAGNOSE_RUN_SUMMARY_H_
#define RUNNER_OBSERVE_DIAGNOSE_RUN_SUMMARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runner/observe/diagnose/facts.h"

namespace zs {

struct SummaryOptions {
  // Steps at the start of each phase that are left out besides those that
  // hold iteration 1, an evaluation or a save.
  int64_t warmup_steps = 0;
};

// Steps in a row with one global batch.
struct PhaseSummary {
  int64_t first_iteration = -1;
  int64_t last_iteration = -1;
  int64_t steps = 0;             // iterations that lines speak for
  int64_t counted = 0;           // of them in the statistics
  bool warmup_included = false;  // nothing else was left to count
  int64_t global_batch = -1;     // sequences
  double median_ms = kNoNumber;
  double p95_ms = kNoNumber;
  double mean_ms = kNoNumber;
  double min_ms = kNoNumber;
  double max_ms = kNoNumber;
  double cv = kNoNumber;            // standard deviation over mean
  double tokens_per_s = kNoNumber;  // tokens over elapsed time
  double tokens_per_s_per_gpu = kNoNumber;
  double samples_per_s = kNoNumber;
  double tflops_printed = kNoNumber;  // median, by the version's own formula
  double first_loss = kNoNumber;
  double last_loss = kNoNumber;
};

struct RunSummary {
  std::string trainer;  // "megatron", "deepspeed", ...
  std::string file;
  std::string tflops_formula;  // of tflops_printed (tflops_formula.h)
  int64_t iterations_planned = -1;
  int64_t last_iteration = -1;
  bool completed = false;  // the last planned iteration was reached
  int world_size = -1;
  int nodes = -1;
  int64_t sequence_length = -1;
  int64_t micro_batch = -1;
  int zero_requested = -1;
  int zero_effective = -1;
  std::string wrapper;
  std::string strategy;
  double memory_peak_mib = kNoNumber;  // allocated, the largest known rank
  double memory_reserved_mib = kNoNumber;
  double final_loss = kNoNumber;
  int64_t skipped_iterations = 0;
  int64_t nan_iterations = 0;
  int64_t stride = 1;  // every so many step lines are in the statistics
  std::vector<PhaseSummary> phases;
};

// One summary for each start of a trainer. Where DeepSpeed's and Megatron's
// lines tell the same steps, Megatron's count (their times are measured behind
// a barrier).
std::vector<RunSummary> SummarizeRuns(const RunFacts& facts,
                                      const SummaryOptions& options);

// The stage that was asked for, by the command line, ZERO_STAGE or the
// arguments; -1 unknown.
int ZeroRequested(const RunFacts& facts);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_RUN_SUMMARY_H_
