// Who is told how a sweep goes on.
#ifndef RUNNER_SWEEP_PROGRESS_H_
#define RUNNER_SWEEP_PROGRESS_H_

#include <string>
#include <vector>

#include "results/store/record.h"
#include "runner/plan/spec/experiment.h"
#include "runner/sweep/measured.h"

namespace zs {

// Called on the sweep's own thread; must not block for long.
class SweepProgress {
 public:
  virtual ~SweepProgress() = default;

  // Before anything is started. TO_RUN: how many experiments will be run.
  virtual void SweepStarted(const std::string& sweep, int experiments,
                            int to_run) = 0;

  virtual void NotRun(const Experiment& experiment, results::NotRun state,
                      const std::string& reason) = 0;

  // REPEAT of the experiment's repeats and ATTEMPT at it, both from 1.
  virtual void RunStarted(const Experiment& experiment, int repeat,
                          int attempt) = 0;

  virtual void Step(const Experiment& experiment,
                    const results::StepRow& step) = 0;

  virtual void RunEnded(const Experiment& experiment,
                        const results::RunOutcome& outcome,
                        const Measured& measured) = 0;

  // Something that people should know, one line.
  virtual void Note(const std::string& text) = 0;
};

}  // namespace zs

#endif  // RUNNER_SWEEP_PROGRESS_H_
