// Initial parameters.
#ifndef ENGINE_MODEL_INITIALIZE_H_
#define ENGINE_MODEL_INITIALIZE_H_

#include <cstdint>

#include "engine/api/run_config.h"

namespace zs {

// Writes the initial parameters of UNIT of Layout(model) to OUT (the unit's
// size), as their `init` says. A value depends on SEED, unit, parameter and
// index alone, never on rank, world size or threads: it comes from a
// counter-based generator (Philox 4x32-10, Salmon et al. 2011) and Box-Muller.
void InitializeUnit(const ModelConfig& model, int unit, uint64_t seed,
                    float* out);

}  // namespace zs

#endif  // ENGINE_MODEL_INITIALIZE_H_
