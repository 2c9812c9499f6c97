#include "engine/model/initialize.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <thread>
#include <vector>

#include "engine/api/layout.h"
#include "engine/model/philox.h"

namespace zs {
namespace {

// (0, 1]: 24 bits, so that the logarithm is finite.
float Uniform(uint32_t bits) {
  return (static_cast<float>(bits >> 8) + 1.0f) * 0x1p-24f;
}

// Two normal deviates from two words (Box and Muller 1958).
void Normals(uint32_t a, uint32_t b, float out[2]) {
  const float radius = std::sqrt(-2.0f * std::log(Uniform(a)));
  const float angle = 2.0f * std::numbers::pi_v<float> *
                      (static_cast<float>(b >> 8) * 0x1p-24f);
  out[0] = radius * std::cos(angle);
  out[1] = radius * std::sin(angle);
}

// Fewer are not worth a thread.
constexpr int64_t kElementsOfThread = int64_t{1} << 18;

// Words that say which parameter is filled.
struct Stream {
  uint64_t seed;
  uint32_t unit;
  uint32_t parameter;
};

// Elements [begin, end) of a parameter; BEGIN is a multiple of 4.
void FillRange(const Stream& stream, float std_dev, int64_t begin, int64_t end,
               float* out) {
  for (int64_t i = begin; i < end; i += 4) {
    const auto block = static_cast<uint64_t>(i / 4);
    const auto words = Philox(
        {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
         stream.unit, stream.parameter},
        {static_cast<uint32_t>(stream.seed),
         static_cast<uint32_t>(stream.seed >> 32)});
    float normals[4];
    Normals(words[0], words[1], normals);
    Normals(words[2], words[3], normals + 2);
    for (int64_t j = 0; j < std::min<int64_t>(4, end - i); ++j) {
      out[i + j] = std_dev * normals[j];
    }
  }
}

void FillNormal(const Stream& stream, float std_dev, std::span<float> out,
                int threads) {
  const auto size = static_cast<int64_t>(out.size());
  const int64_t parts =
      std::clamp<int64_t>(size / kElementsOfThread, 1, threads);
  const int64_t each = (size / parts + 4) / 4 * 4;
  std::vector<std::jthread> others;
  for (int64_t begin = each; begin < size; begin += each) {
    others.emplace_back(FillRange, stream, std_dev, begin,
                        std::min(begin + each, size), out.data());
  }
  FillRange(stream, std_dev, 0, std::min(each, size), out.data());
}

}  // namespace

void InitializeUnit(const ModelConfig& model, int unit, uint64_t seed,
                    float* out, int threads) {
  const Unit layout = Layout(model)[unit];
  const double scaled =
      model.init_std / std::sqrt(2.0 * static_cast<double>(model.layers));
  for (size_t i = 0; i < layout.parameters.size(); ++i) {
    const Parameter& p = layout.parameters[i];
    float* begin = out + p.offset;
    const Stream stream = {seed, static_cast<uint32_t>(unit),
                           static_cast<uint32_t>(i)};
    switch (p.init) {
      case Init::kNormal:
        FillNormal(stream, static_cast<float>(model.init_std),
                   {begin, static_cast<size_t>(p.size)}, threads);
        break;
      case Init::kNormalScaled:
        FillNormal(stream, static_cast<float>(scaled),
                   {begin, static_cast<size_t>(p.size)}, threads);
        break;
      case Init::kZero:
        std::fill_n(begin, p.size, 0.0f);
        break;
      case Init::kOne:
        std::fill_n(begin, p.size, 1.0f);
        break;
    }
  }
}

}  // namespace zs
