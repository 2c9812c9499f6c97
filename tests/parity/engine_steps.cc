// engine_steps DIR THREADS: trains DIR/config.json's model from given weights,
// so that another implementation can be compared with the engine.
//
// Reads parameters.f32 (all parameters in the order of the layout), tokens.i32
// and targets.i32 (micro_batch x seq_len for each of train.steps steps). Writes
// layout.json (name and shape of each parameter), gradients.f32 (of the first
// step, before clipping) and losses.f64 (one a step).
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "engine/api/layout.h"
#include "engine/api/run_config.h"
#include "engine/model/decoder.h"
#include "engine/model/flat_hooks.h"
#include "engine/ops/cpu_ops.h"

namespace zs {
namespace {

template <typename T>
Status ReadArray(const std::string& path, std::vector<T>* values) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const auto bytes = static_cast<size_t>(std::max<long>(in.tellg(), 0));
  values->resize(bytes / sizeof(T));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(values->data()),
          static_cast<long>(values->size() * sizeof(T)));
  return in ? OkStatus() : NotFoundError(path + ": cannot be read");
}

template <typename T>
Status WriteArray(const std::string& path, const std::vector<T>& values) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<long>(values.size() * sizeof(T)));
  return out.flush() ? OkStatus() : UnavailableError(path + ": not written");
}

void WriteLayout(const std::string& path, const ModelConfig& model) {
  Json layout = Json::array();
  for (const Unit& unit : Layout(model)) {
    for (const Parameter& p : unit.parameters) {
      layout.push_back(
          {{"name", p.name}, {"shape", p.shape}, {"decay", p.decay}});
    }
  }
  std::ofstream(path) << layout;
}

// Clips to train.clip_grad and takes one AdamW step over each parameter.
class Optimizer {
 public:
  Optimizer(const RunConfig& config, Ops& ops, FlatHooks& hooks)
      : train_(config.train),
        units_(Layout(config.model)),
        ops_(ops),
        hooks_(hooks),
        m_(hooks.parameters.size()),
        v_(hooks.parameters.size()) {}

  void Step() {
    double parts[2] = {};  // loss and squares
    ops_.SquaredNorm(hooks_.gradients.data(), std::ssize(hooks_.gradients),
                     parts + 1);
    StepSums sums;
    ops_.SumStep(parts, 1, 2, train_.clip_grad, &sums);
    AdamWStep step = {.step = ++step_,
                      .lr = train_.lr,
                      .beta1 = train_.beta1,
                      .beta2 = train_.beta2,
                      .eps = train_.adam_eps,
                      .gradient_scale = &sums.clip};
    for (int unit = 0; unit < hooks_.units(); ++unit) {
      for (const Parameter& p : units_[unit].parameters) {
        step.weight_decay = p.decay ? train_.weight_decay : 0;
        const int64_t at = hooks_.offset(unit) + p.offset;
        ops_.AdamW(step, {.parameters = hooks_.parameters.data() + at,
                          .gradients = hooks_.gradients.data() + at,
                          .m = m_.data() + at,
                          .v = v_.data() + at,
                          .size = p.size});
      }
    }
  }

 private:
  const TrainConfig& train_;
  const std::vector<Unit> units_;
  Ops& ops_;
  FlatHooks& hooks_;
  std::vector<float> m_, v_;
  int64_t step_ = 0;
};

Status Train(const std::string& dir, const RunConfig& config, int threads) {
  const TrainConfig& train = config.train;
  const auto ops = MakeCpuOps(threads);
  ASSIGN_OR_RETURN(const auto decoder,
                   Decoder::Create(config.model,
                                   {.micro_batch = train.micro_batch,
                                    .seq_len = train.seq_len,
                                    .recompute = train.recompute},
                                   *ops));
  FlatHooks hooks(config.model);
  std::vector<int32_t> tokens, targets;
  RETURN_IF_ERROR(ReadArray(dir + "/parameters.f32", &hooks.parameters));
  RETURN_IF_ERROR(ReadArray(dir + "/tokens.i32", &tokens));
  RETURN_IF_ERROR(ReadArray(dir + "/targets.i32", &targets));
  Optimizer optimizer(config, *ops, hooks);
  std::vector<double> losses;
  const int64_t size = train.micro_batch * train.seq_len;
  for (int64_t step = 0; step < train.steps; ++step) {
    std::fill(hooks.gradients.begin(), hooks.gradients.end(), 0.0f);
    RETURN_IF_ERROR(decoder->Forward(
        std::span(tokens).subspan(step * size, size),
        std::span(targets).subspan(step * size, size), 1.0f, hooks));
    ASSIGN_OR_RETURN(const double loss, decoder->Loss());
    losses.push_back(loss);
    RETURN_IF_ERROR(decoder->Backward(hooks));
    if (step == 0) {
      RETURN_IF_ERROR(WriteArray(dir + "/gradients.f32", hooks.gradients));
    }
    optimizer.Step();
  }
  return WriteArray(dir + "/losses.f64", losses);
}

Status Run(const std::string& dir, int threads) {
  std::ifstream in(dir + "/config.json");
  const Json json = Json::parse(in, nullptr, false);
  ASSIGN_OR_RETURN(const RunConfig config, RunConfigFromJson(json));
  WriteLayout(dir + "/layout.json", config.model);
  return Train(dir, config, threads);
}

}  // namespace
}  // namespace zs

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: engine_steps DIR THREADS\n";
    return 64;
  }
  const zs::Status status = zs::Run(argv[1], std::atoi(argv[2]));
  if (!status.ok()) {
    std::cerr << status << "\n";
    return 1;
  }
  return 0;
}
