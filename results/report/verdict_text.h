// A comparison in words.
#ifndef RESULTS_REPORT_VERDICT_TEXT_H_
#define RESULTS_REPORT_VERDICT_TEXT_H_

#include <string>
#include <vector>

#include "results/report/comparison.h"

namespace zs::results {

// "BEST: z1, 1.03 times as fast as z0 (95% sure: 1.01 to 1.05) with 0.80x its
// memory. z1 is 1.03x z0 [1.01, 1.05] FASTER, same losses, optimizer memory
// 1/2; ..." and, before all else, what makes that doubtful: missing sides,
// another ZeRO stage than asked for, traffic that theory does not explain.
std::vector<VerdictLine> VerdictLines(const Comparison& comparison);

// LINES as one text.
std::string VerdictText(const std::vector<VerdictLine>& lines);

// What other programs took of the processors while E or BASELINE ran; empty
// where that was little.
std::string DisturbedText(const ComparedExperiment& e,
                          const ComparedExperiment& baseline);

// "z0: 3874.8 tokens/s per rank, 264.27 ms a step (median of 20)".
std::string AloneText(const ComparedExperiment& e);

// PART of WHOLE as "1/2" where it is that within 5%, else as "0.73x".
std::string ShareText(double part, double whole);

// What people call the condition at PATH: "train.seq_len" of
// "asked.train.seq_len".
std::string ShortPath(const std::string& path);

}  // namespace zs::results

#endif  // RESULTS_REPORT_VERDICT_TEXT_H_
