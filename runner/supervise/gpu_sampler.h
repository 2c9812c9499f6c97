// What the driver says of a node's GPUs while a run goes on: a process beside
// the ranks asks it once a second.
#ifndef RUNNER_SUPERVISE_GPU_SAMPLER_H_
#define RUNNER_SUPERVISE_GPU_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/store/record.h"

namespace zs {

// The number of the sampler among the processes of a node; no rank has it.
inline constexpr int64_t kGpuSamplerId = -2;

// One node's sampler. Not thread-safe.
class GpuSampler {
 public:
  explicit GpuSampler(int node_rank) : node_rank_(node_rank) {}

  // The program to start (nvidia-smi, which comes with every driver); nullopt
  // when all ways to ask it have been tried.
  std::optional<std::vector<std::string>> NextCommand();

  // What it has printed, cut anywhere: the samples that this completes.
  // AT_UNIX_MS: the node's clock when it was read.
  std::vector<results::GpuSample> Feed(std::string_view bytes,
                                       int64_t at_unix_ms);

  // Whether there has been a sample: another way to ask is then not needed.
  bool answered() const { return answered_; }
  // Its last line that is no sample; empty: there was none.
  const std::string& last_words() const { return last_words_; }

 private:
  void Keep(std::string_view part);

  int node_rank_;
  size_t tried_ = 0;
  bool answered_ = false;
  std::string line_;
  std::string last_words_;
};

// A line of its output, "0, 98, 612.50, 61, 1755, 122070, 700.00, 0,
// 0x0000000000000004"; nullopt for anything else. What the driver does not know
// ("[N/A]") stays absent. A MiB is 2^20 bytes.
std::optional<results::GpuSample> ParseGpuLine(std::string_view line);

// The names of the bits of nvmlClocksEventReasons (NVIDIA's NVML reference),
// joined by ','; empty for 0. Idle is no reason to speak of.
std::string ThrottleReasons(uint64_t bits);

}  // namespace zs

#endif  // RUNNER_SUPERVISE_GPU_SAMPLER_H_
