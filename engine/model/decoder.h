// The decoder-only transformer: one forward and one backward pass over a
// micro-batch, written once for all devices against Ops.
#ifndef ENGINE_MODEL_DECODER_H_
#define ENGINE_MODEL_DECODER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/api/event.h"
#include "engine/api/run_config.h"
#include "engine/model/unit_hooks.h"
#include "engine/ops/ops.h"

namespace zs {

// What a decoder is built for.
struct DecoderOptions {
  int64_t micro_batch = 1;         // sequences of a pass
  int64_t seq_len = 0;             // tokens of a sequence
  std::string recompute = "none";  // "none" | "cheap" | "full", as TrainConfig
};

// A model's activations and the order of its computation; parameters and
// gradients belong to the UnitHooks of each call. All activations are allocated
// once, by Create. The same inputs give the same bits at the same number of
// threads, whatever `recompute` is. Not thread-safe.
class Decoder {
 public:
  // MODEL must have no Faults(); OPS outlives the decoder. kResourceExhausted
  // names component and bytes where memory does not suffice.
  static Result<std::unique_ptr<Decoder>> Create(const ModelConfig& model,
                                                 const DecoderOptions& options,
                                                 Ops& ops);
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // Computes the loss of each of micro_batch x seq_len positions. TOKENS and
  // TARGETS: as many each, in [0, vocab), row by row; kOutOfRange names the
  // first that is not. Does not wait for the device, as Backward does not.
  //
  // With SCALE != 0 a Backward() follows, and the gradients are those of SCALE
  // x mean loss. Since only one chunk of logits lives at a time, the LM head's
  // backward pass runs here, chunk by chunk: Gradients() is called here for the
  // unit that holds the head's weight (0 where the embeddings are tied).
  // With SCALE 0 no gradient is made and HOOKS sees Parameters() alone.
  Status Forward(std::span<const int32_t> tokens,
                 std::span<const int32_t> targets, float scale,
                 UnitHooks& hooks);

  // The mean loss over all positions of the last Forward(): added to *SUM in
  // device memory, or waited for.
  void AddLoss(double* sum) const;
  Result<double> Loss() const;

  // Adds the gradients of the last Forward(), from the last unit to the first:
  // Gradients(unit), its gradients, GradientsDone(unit). The unit of a tied
  // head was opened by Forward() and closes last.
  Status Backward(UnitHooks& hooks);

  // Where the last Forward() computed the LM head's backward pass, which
  // belongs to the backward pass in a report.
  const std::vector<MarkedSpan>& head_backward() const;

  // Bytes held: activations, logits and workspace; the rest is 0, `total` the
  // sum.
  MemoryBytes memory() const;

 private:
  class Impl;
  explicit Decoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace zs

#endif  // ENGINE_MODEL_DECODER_H_
