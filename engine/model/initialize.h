// Initial parameters.
#ifndef ENGINE_MODEL_INITIALIZE_H_
#define ENGINE_MODEL_INITIALIZE_H_

#include <cstdint>

#include "engine/api/layout.h"
#include "engine/api/run_config.h"

namespace zs {

// A unit of Layout(model) and its number there.
struct NumberedUnit {
  const Unit& unit;
  int number;
};

// Writes the initial parameters [range.begin, range.end) of UNIT to OUT, as
// their `init` says. A value depends on SEED, unit, parameter and index alone,
// never on rank, world size, threads or range: it comes from a counter-based
// generator (Philox 4x32-10, Salmon et al. 2011) and Box-Muller.
void InitializeRange(const ModelConfig& model, const NumberedUnit& unit,
                     uint64_t seed, const Range& range, float* out);

// All of unit number UNIT to OUT.
void InitializeUnit(const ModelConfig& model, int unit, uint64_t seed,
                    float* out);

}  // namespace zs

#endif  // ENGINE_MODEL_INITIALIZE_H_
