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

// Elements [begin, end) of a parameter. Four come from a block of the
// generator.
void FillNormal(const Stream& stream, float std_dev, const Range& range,
                float* out) {
  for (int64_t i = range.begin / 4 * 4; i < range.end; i += 4) {
    const auto block = static_cast<uint64_t>(i / 4);
    const auto words = Philox(
        {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
         stream.unit, stream.parameter},
        {static_cast<uint32_t>(stream.seed),
         static_cast<uint32_t>(stream.seed >> 32)});
    float normals[4];
    Normals(words[0], words[1], normals);
    Normals(words[2], words[3], normals + 2);
    for (int64_t at = std::max(i, range.begin); at < std::min(i + 4, range.end);
         ++at) {
      out[at - range.begin] = std_dev * normals[at - i];
    }
  }
}

}  // namespace

void InitializeRange(const ModelConfig& model, const NumberedUnit& unit,
                     uint64_t seed, const Range& range, float* out) {
  const double scaled =
      model.init_std / std::sqrt(2.0 * static_cast<double>(model.layers));
  std::fill_n(out, range.size(), 0.0f);
  for (size_t i = 0; i < unit.unit.parameters.size(); ++i) {
    const Parameter& p = unit.unit.parameters[i];
    const Range part = {std::max(range.begin, p.offset) - p.offset,
                        std::min(range.end, p.offset + p.size) - p.offset};
    if (part.size() <= 0) {
      continue;
    }
    float* const to = out + p.offset + part.begin - range.begin;
    if (p.init == Init::kOne) {
      std::fill_n(to, part.size(), 1.0f);
    } else if (p.init != Init::kZero) {
      FillNormal(
          {seed, static_cast<uint32_t>(unit.number), static_cast<uint32_t>(i)},
          static_cast<float>(p.init == Init::kNormal ? model.init_std : scaled),
          part, to);
    }
  }
}

void InitializeUnit(const ModelConfig& model, int unit, uint64_t seed,
                    float* out) {
  const Unit layout = Layout(model)[unit];
  InitializeRange(model, {layout, unit}, seed, {0, layout.size}, out);
}

}  // namespace zs
