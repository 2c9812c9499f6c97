#include "engine/model/weights.h"

#include <string>
#include <string_view>

namespace zs {
namespace {

// Finds parameters of one unit.
class Binder {
 public:
  Binder(const Unit& unit, const void* data, DType dtype)
      : unit_(unit), data_(data), dtype_(dtype) {}

  // The parameter whose name after the unit's is ROLE, for example
  // "mlp.up.weight"; absent where there is none.
  Tensor Find(std::string_view role) const {
    for (const Parameter& p : unit_.parameters) {
      if (std::string_view(p.name).substr(unit_.name.size() + 1) == role) {
        const bool matrix = p.shape.size() == 2;
        const int64_t rows = matrix ? p.shape[0] : 1;
        const auto* bytes = static_cast<const char*>(data_);
        return View(bytes + p.offset * SizeOf(dtype_), rows, p.size / rows,
                    dtype_);
      }
    }
    return {};
  }

  LinearWeights Linear(const std::string& role) const {
    return {.weight = Find(role + ".weight"), .bias = Find(role + ".bias")};
  }

  NormWeights Norm(const std::string& role, double eps) const {
    return {.gain = Find(role + ".weight"),
            .bias = Find(role + ".bias"),
            .eps = static_cast<float>(eps)};
  }

 private:
  const Unit& unit_;
  const void* data_;
  DType dtype_;
};

}  // namespace

EmbeddingWeights BindEmbedding(const Unit& unit, const void* data,
                               DType dtype) {
  const Binder binder(unit, data, dtype);
  return {.token = binder.Find("token.weight"),
          .position = binder.Find("position.weight")};
}

LayerWeights BindLayer(const Unit& unit, const void* data, DType dtype,
                       double norm_eps) {
  const Binder binder(unit, data, dtype);
  const LinearWeights gate_up = binder.Linear("mlp.gate_up");
  return {
      .norm1 = binder.Norm("attention_norm", norm_eps),
      .qkv = binder.Linear("attention.qkv"),
      .q_norm = binder.Find("attention.q_norm.weight"),
      .k_norm = binder.Find("attention.k_norm.weight"),
      .out = binder.Linear("attention.out"),
      .norm2 = binder.Norm("mlp_norm", norm_eps),
      .up = gate_up.weight.present() ? gate_up : binder.Linear("mlp.up"),
      .down = binder.Linear("mlp.down"),
  };
}

HeadWeights BindHead(const Unit& unit, const void* data, DType dtype,
                     double norm_eps) {
  const Binder binder(unit, data, dtype);
  return {.norm = binder.Norm("norm", norm_eps),
          .lm = binder.Find("lm.weight")};
}

}  // namespace zs
