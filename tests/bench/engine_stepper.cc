// engine_stepper CONFIG.json THREADS: for each line on stdin takes one step
// (forward, backward, AdamW) on random tokens and prints
// "TOTAL FORWARD BACKWARD OPTIMIZER" in ms.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "engine/api/layout.h"
#include "engine/api/run_config.h"
#include "engine/model/decoder.h"
#include "engine/model/flat_hooks.h"
#include "engine/model/initialize.h"
#include "engine/ops/cpu_ops.h"

namespace zs {
namespace {

// A model with all that training it in one process needs.
class Stepper {
 public:
  Stepper(const RunConfig& config, Ops& ops)
      : config_(config),
        ops_(ops),
        hooks_(config.model),
        m_(hooks_.parameters.size()),
        v_(hooks_.parameters.size()) {
    for (int unit = 0; unit < hooks_.units(); ++unit) {
      InitializeUnit(config.model, unit, config.train.seed,
                     hooks_.parameters.data() + hooks_.offset(unit));
    }
  }

  Status Init() {
    const TrainConfig& train = config_.train;
    ASSIGN_OR_RETURN(decoder_,
                     Decoder::Create(config_.model,
                                     {.micro_batch = train.micro_batch,
                                      .seq_len = train.seq_len,
                                      .recompute = train.recompute},
                                     ops_));
    return OkStatus();
  }

  Status Step() {
    const std::vector<int32_t> tokens = RandomTokens();
    const std::vector<int32_t> targets = RandomTokens();
    const double start = RealClock().monotonic_s();
    std::fill(hooks_.gradients.begin(), hooks_.gradients.end(), 0.0f);
    hooks_.calls.clear();
    RETURN_IF_ERROR(decoder_->Forward(tokens, targets, 1.0f, hooks_));
    ASSIGN_OR_RETURN(const double loss, decoder_->Loss());
    double head = 0;
    for (const MarkedSpan& span : decoder_->head_backward()) {
      head += ops_.MsBetween(span.begin, span.end);
    }
    const double forward = RealClock().monotonic_s();
    RETURN_IF_ERROR(decoder_->Backward(hooks_));
    const double backward = RealClock().monotonic_s();
    Optimize();
    const double end = RealClock().monotonic_s();
    std::cout << 1e3 * (end - start) << ' ' << 1e3 * (forward - start) - head
              << ' ' << 1e3 * (backward - forward) + head << ' '
              << 1e3 * (end - backward) << ' ' << loss << std::endl;
    return OkStatus();
  }

 private:
  std::vector<int32_t> RandomTokens() {
    std::uniform_int_distribution<int32_t> uniform(
        0, static_cast<int32_t>(config_.model.vocab - 1));
    std::vector<int32_t> tokens(config_.train.micro_batch *
                                config_.train.seq_len);
    for (int32_t& token : tokens) {
      token = uniform(random_);
    }
    return tokens;
  }

  void Optimize() {
    ops_.AdamW({.step = ++step_,
                .lr = config_.train.lr,
                .weight_decay = config_.train.weight_decay},
               {.parameters = hooks_.parameters.data(),
                .gradients = hooks_.gradients.data(),
                .m = m_.data(),
                .v = v_.data(),
                .size = static_cast<int64_t>(m_.size())});
  }

  const RunConfig& config_;
  Ops& ops_;
  FlatHooks hooks_;
  std::vector<float> m_, v_;
  std::unique_ptr<Decoder> decoder_;
  std::mt19937 random_{1};
  int64_t step_ = 0;
};

Status Run(const std::string& path, int threads) {
  std::ifstream in(path);
  ASSIGN_OR_RETURN(const RunConfig config,
                   RunConfigFromJson(Json::parse(in, nullptr, false)));
  const auto ops = MakeCpuOps(threads);
  Stepper stepper(config, *ops);
  RETURN_IF_ERROR(stepper.Init());
  std::string line;
  while (std::getline(std::cin, line)) {
    RETURN_IF_ERROR(stepper.Step());
  }
  return OkStatus();
}

}  // namespace
}  // namespace zs

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: engine_stepper CONFIG.json THREADS\n";
    return 64;
  }
  const zs::Status status = zs::Run(argv[1], std::atoi(argv[2]));
  if (!status.ok()) {
    std::cerr << status << "\n";
    return 1;
  }
  return 0;
}
