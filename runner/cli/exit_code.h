// The runner's exit codes; never a count.
#ifndef RUNNER_CLI_EXIT_CODE_H_
#define RUNNER_CLI_EXIT_CODE_H_

namespace zs {

// Everything planned has a valid measurement and passes, or is cached.
inline constexpr int kExitOk = 0;
// An experiment failed.
inline constexpr int kExitFailed = 1;
// The request was wrong; nothing was started.
inline constexpr int kExitRequest = 2;
// A regression: a gate fails.
inline constexpr int kExitRegression = 3;
// Nothing was measured: there is nothing to run or to compare.
inline constexpr int kExitNothingMeasured = 4;
// Checks failed: nothing could be started.
inline constexpr int kExitChecksFailed = 5;
// The sweep is incomplete: stopped, or the record could not be kept.
inline constexpr int kExitIncomplete = 6;
// The sweep's total_s was used up.
inline constexpr int kExitTotalTime = 124;
// Ended by SIGINT and SIGTERM, as shells say it.
inline constexpr int kExitInterrupted = 130;
inline constexpr int kExitTerminated = 143;

}  // namespace zs

#endif  // RUNNER_CLI_EXIT_CODE_H_
