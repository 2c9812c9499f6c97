// The parameters of a model in order, grouped into units. A unit is what is
// communicated as one bucket: unit 0 holds the embeddings, units 1..layers a
// transformer layer each, the last the final norm and an untied LM head. Pure
// arithmetic, shared by the model, the sharding and the prediction.
#ifndef ENGINE_API_LAYOUT_H_
#define ENGINE_API_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/api/event.h"
#include "engine/api/run_config.h"

namespace zs {

// How a parameter starts.
enum class Init {
  kNormal,        // N(0, init_std)
  kNormalScaled,  // N(0, init_std / sqrt(2 x layers)): residual projections
  kZero,          // biases
  kOne,           // gains of norms
};

struct Parameter {
  std::string name;            // Hugging Face-like: "layers.3.mlp.down.weight"
  std::vector<int64_t> shape;  // row-major; linear weights are {out, in}
  int64_t size = 0;            // elements
  int64_t offset = 0;          // first element within its unit
  bool decay = false;          // weight decay applies (matrices)
  Init init = Init::kNormal;
};

struct Unit {
  std::string name;  // "embedding", "layers.3", "head"
  std::vector<Parameter> parameters;
  int64_t size = 0;  // elements, without padding
};

// Elements [begin, end) of a unit.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

// All units of MODEL in forward order.
std::vector<Unit> Layout(const ModelConfig& model);

// Elements of all parameters.
int64_t ParameterCount(const ModelConfig& model);

// Elements of a unit padded so that it divides into WORLD_SIZE equal shards,
// each a multiple of 32 elements (128 bytes of fp32).
int64_t PaddedSize(int64_t size, int world_size);

// Bytes that one rank sends in one optimizer step, by operation, as the stage
// needs them at least (ring or direct: reduce-scatter and all-gather of S
// bytes send S x (N-1)/N, all-reduce twice that), the scalars of loss and norm
// left out.
std::vector<CommUse> CommTheory(const RunConfig& config, int world_size);

// Micro-batches a rank runs for one step: global_batch / (micro_batch x
// world_size); 0 where that does not divide.
int64_t Accumulation(const TrainConfig& train, int world_size);

}  // namespace zs

#endif  // ENGINE_API_LAYOUT_H_
