#include "engine/model/initialize.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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

// Words that say which parameter is filled.
struct Stream {
  uint64_t seed;
  uint32_t unit;
  uint32_t parameter;
};

void FillNormal(const Stream& stream, float std_dev, int64_t size, float* out) {
  for (int64_t i = 0; i < size; i += 4) {
    const auto block = static_cast<uint64_t>(i / 4);
    const auto words = Philox(
        {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
         stream.unit, stream.parameter},
        {static_cast<uint32_t>(stream.seed),
         static_cast<uint32_t>(stream.seed >> 32)});
    float normals[4];
    Normals(words[0], words[1], normals);
    Normals(words[2], words[3], normals + 2);
    for (int64_t j = 0; j < std::min<int64_t>(4, size - i); ++j) {
      out[i + j] = std_dev * normals[j];
    }
  }
}

}  // namespace

void InitializeUnit(const ModelConfig& model, int unit, uint64_t seed,
                    float* out) {
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
        FillNormal(stream, static_cast<float>(model.init_std), p.size, begin);
        break;
      case Init::kNormalScaled:
        FillNormal(stream, static_cast<float>(scaled), p.size, begin);
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
