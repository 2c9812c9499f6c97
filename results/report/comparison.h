// Which experiment is best, by how much and how sure that is, as plain data.
#ifndef RESULTS_REPORT_COMPARISON_H_
#define RESULTS_REPORT_COMPARISON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/store/record.h"

namespace zs::results {

// A ratio of speeds: above 1 the experiment is faster than its baseline.
struct SpeedRatio {
  std::optional<double> value;
  std::optional<double> lo;  // ends of the confidence interval
  std::optional<double> hi;
  std::optional<double> p_value;   // after Holm's correction over all pairs
  std::string word = "UNDECIDED";  // FASTER | SLOWER | SAME | UNDECIDED
  std::string why;  // for UNDECIDED: what is missing, what to run
  // UNDECIDED although the interval had a word: it may be chance among many
  // pairs, or what other programs did.
  bool doubted = false;
  // Standard deviation of the logarithm between runs, beyond their steps;
  // unknown where each side has one run.
  std::optional<double> run_noise;
  // That a step of the experiment is faster than one of the baseline, and how
  // sure that is (rank test of Brunner and Munzel over blocks of steps).
  std::optional<double> chance_faster;
  std::optional<double> rank_p_value;
};

// Whether an experiment follows its baseline's losses.
struct LossCheck {
  std::optional<bool> equal;  // unknown where a side has no loss
  double tolerance = 0;       // relative; 0: bit by bit
  double spread = 0;          // between the runs of one side; 0: unknown
  double largest = 0;         // relative difference found
  int64_t step = 0;           // where it was found; where they part, if bitwise
  // The side whose own runs differ by `spread`, more than rounding does: not
  // equal, whatever the newest runs say. Empty: none.
  std::string unstable;
};

// Bytes sent by one operation in one step by one rank.
struct CommPerStep {
  std::string op;
  std::optional<double> measured_bytes;
  std::optional<double> theory_bytes;
};

// A condition that differs between an experiment and its baseline.
struct Difference {
  std::string experiment;
  std::string path;      // "asked.train.seq_len"
  std::string baseline;  // the values as JSON; "absent" where there is none
  std::string value;
  // Whether the ratio is about something else than the ZeRO stage then: another
  // model, batch, precision, device, ... (fairness.h has the table).
  bool unfair = false;
};

// The time of a step.
struct StepPoint {
  int64_t step = 0;
  double ms = 0;
};

// The part of a step that is furthest from what was predicted for it.
struct TermOff {
  std::string name;  // "backward"
  double predicted_ms = 0;
  double measured_ms = 0;
};

// One side of a comparison. Statistics are over the window alone.
struct ComparedExperiment {
  std::string name;
  std::string baseline;  // whom `ratio` is against; its own name: nobody
  bool alone = false;    // nobody is compared with it, nor it with anybody
  int64_t run_id = 0;    // the newest; 0: no valid run, `missing` says more
  std::vector<int64_t> run_ids;  // all repeats that count, oldest first
  std::string missing;           // why there is no measurement, and what to run
  // What speaks against the runs that count, a clause each: "run 3 failed: the
  // ranks ended with different parameters".
  std::vector<std::string> faults;
  bool passed = true;  // none of them failed
  std::optional<int> zero_requested;
  std::optional<int> zero_effective;
  std::optional<int> world_size;
  std::string device;
  int64_t window_first = 0;  // steps used, both ends belong to it; 0: none
  int64_t window_last = 0;
  int64_t n = 0;                       // steps in the window that have a time
  std::optional<double> tokens_per_s;  // at the median step
  std::optional<double> tokens_per_s_per_gpu;
  std::optional<double> tokens_per_s_mean;  // all tokens over all the time
  std::optional<double> step_ms_median;
  std::optional<double> step_ms_p95;
  std::optional<double> step_cv;
  std::optional<double> step_ms_predicted;
  std::string profile;              // of that prediction
  std::optional<TermOff> term_off;  // where the step is off by more than 5%
  // Of the processors of a node, what other programs took while a run went on;
  // known where it was much.
  std::optional<double> other_cpu_pct;
  std::optional<MemoryRow> mem_peak;  // the rank with the largest total
  std::optional<MemoryRow> mem_predicted;
  std::vector<CommPerStep> comm;
  std::optional<double> comm_bytes_per_step;
  std::optional<double> comm_theory_bytes_per_step;
  std::optional<double> comm_exposed_ms;  // median over the window
  std::optional<double> final_loss;
  std::optional<bool> loss_equal;  // loss_check.equal
  LossCheck loss_check;
  std::string nccl_health = "unknown";
  SpeedRatio ratio;
  // Of the newest run; of a long one what shows its course and every spike.
  std::vector<StepPoint> times;
  std::vector<int64_t> outliers;          // steps far from the others
  std::vector<std::string> observations;  // warm-up, outliers, drift, ...
};

// What a sentence of the verdict is about.
enum class VerdictKind {
  kWrong,    // what makes the rest doubtful, or is missing
  kBest,     // who is best, by how much, how sure; or that nobody is yet
  kDetail,   // each pair
  kCaution,  // what the figures do not know
};

struct VerdictLine {
  VerdictKind kind = VerdictKind::kDetail;
  std::string text;
};

struct Comparison {
  std::string baseline;  // of the first group
  std::vector<VerdictLine> verdict_lines;
  std::string verdict;                          // the lines as one text
  std::vector<ComparedExperiment> experiments;  // baselines first
  std::vector<Difference> differences;          // beyond the ZeRO stage
  // Differences and observations in words, one line each.
  std::vector<std::string> notes;
  // What puts all of it in doubt, a sentence each: a machine that drifts.
  std::vector<std::string> doubts;
  // Pairs were compared although they are unfair or their losses differ.
  bool even_so = false;
  // False: a side has no valid measurement or nothing could be compared
  // (exit code 4).
  bool measured = false;
};

}  // namespace zs::results

#endif  // RESULTS_REPORT_COMPARISON_H_
