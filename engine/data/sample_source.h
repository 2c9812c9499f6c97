// The samples of a training, by number.
#ifndef ENGINE_DATA_SAMPLE_SOURCE_H_
#define ENGINE_DATA_SAMPLE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "engine/api/run_config.h"

namespace zs {

// Not thread-safe.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  // Fills OUT with the seq_len + 1 tokens of SAMPLE, counted from 0 through the
  // whole training. The same number gives the same tokens, whoever asks.
  virtual Status Read(int64_t sample, std::span<int32_t> out) = 0;
};

// Opens what config.data names: windows of seq_len + 1 tokens that overlap by
// one and lie within one file, in the order of WindowOf(), or random tokens.
// Every error names the path and its field, "data.paths[2]": a file that is
// missing, empty, damaged, shorter than one sample, or has a token beyond the
// vocabulary.
Result<std::unique_ptr<SampleSource>> OpenSamples(const RunConfig& config);

}  // namespace zs

#endif  // ENGINE_DATA_SAMPLE_SOURCE_H_
