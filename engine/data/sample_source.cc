#include "engine/data/sample_source.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/data/sample_order.h"
#include "engine/data/token_stream.h"

namespace zs {
namespace {

std::string FieldOf(size_t path) {
  return "data.paths[" + std::to_string(path) + "]";
}

// Tokens from a hash of seed, sample and position.
class RandomSamples final : public SampleSource {
 public:
  RandomSamples(uint64_t seed, int64_t vocab) : seed_(seed), vocab_(vocab) {}

  Status Read(int64_t sample, std::span<int32_t> out) override {
    const uint64_t key = Mix(Mix(seed_) + static_cast<uint64_t>(sample));
    for (size_t i = 0; i < out.size(); ++i) {
      // The upper 64 bits of the product are uniform over the vocabulary.
      const auto wide = static_cast<unsigned __int128>(Mix(key + i)) *
                        static_cast<uint64_t>(vocab_);
      out[i] = static_cast<int32_t>(wide >> 64);
    }
    return OkStatus();
  }

 private:
  const uint64_t seed_;
  const int64_t vocab_;
};

// Windows over files.
class FileSamples final : public SampleSource {
 public:
  FileSamples(uint64_t seed, int64_t seq_len)
      : seed_(seed), seq_len_(seq_len) {}

  // kInvalidArgument where STREAM is shorter than one sample.
  Status Add(std::unique_ptr<TokenStream> stream, const std::string& path) {
    const int64_t windows = (stream->tokens() - 1) / seq_len_;
    if (windows < 1) {
      return InvalidArgumentError(
          path + " has " + std::to_string(stream->tokens()) +
          " tokens, fewer than the " + std::to_string(seq_len_ + 1) +
          " of one sample (train.seq_len + 1)");
    }
    streams_.push_back(std::move(stream));
    ends_.push_back((ends_.empty() ? 0 : ends_.back()) + windows);
    return OkStatus();
  }

  Status Read(int64_t sample, std::span<int32_t> out) override {
    const int64_t window = WindowOf(sample, ends_.back(), seed_);
    const size_t file =
        std::upper_bound(ends_.begin(), ends_.end(), window) - ends_.begin();
    const int64_t before = file == 0 ? 0 : ends_[file - 1];
    return streams_[file]
        ->Read((window - before) * seq_len_, out)
        .WithContext(FieldOf(file));
  }

 private:
  const uint64_t seed_;
  const int64_t seq_len_;
  std::vector<std::unique_ptr<TokenStream>> streams_;
  std::vector<int64_t> ends_;  // windows of the files up to and with each
};

}  // namespace

Result<std::unique_ptr<SampleSource>> OpenSamples(const RunConfig& config) {
  const DataConfig& data = config.data;
  if (data.kind == "random") {
    return std::unique_ptr<SampleSource>(
        std::make_unique<RandomSamples>(config.train.seed, config.model.vocab));
  }
  if (data.paths.empty()) {
    return InvalidArgumentError("data.paths is empty; data.kind " + data.kind +
                                " needs at least one");
  }
  auto samples =
      std::make_unique<FileSamples>(config.train.seed, config.train.seq_len);
  for (size_t i = 0; i < data.paths.size(); ++i) {
    const std::string& path = data.paths[i];
    Result<std::unique_ptr<TokenStream>> stream =
        data.kind == "text" ? OpenText(path, config.model.vocab)
                            : OpenMegatron(path, config.model.vocab);
    if (!stream.ok()) {
      return stream.status().WithContext(FieldOf(i));
    }
    RETURN_IF_ERROR(
        samples->Add(std::move(stream).value(), path).WithContext(FieldOf(i)));
  }
  return std::unique_ptr<SampleSource>(std::move(samples));
}

}  // namespace zs
