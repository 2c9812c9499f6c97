// Runs small decoders forward and backward on the CPU in fp32 and on the
// current GPU in bf16, and compares loss and gradients; then checks that
// recomputation and repetition give the same bits on the GPU. Prints a line a
// case, then "N passed, N failed".
//
//   gpu_decoder_test [FILTER [FOLDER]]
//
// With FOLDER, each case is written there for torch_parity.py: a line of JSON,
// then parameters and the GPU's gradients (fp32, in the order of the line's
// "parameters") and the tokens (int32).
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "engine/api/layout.h"
#include "engine/api/run_config.h"
#include "engine/cuda/cuda_ops.h"
#include "engine/model/decoder.h"
#include "engine/model/flat_hooks.h"
#include "engine/model/initialize.h"
#include "engine/ops/cpu_ops.h"
#include "tests/gpu/device_hooks.h"
#include "tests/gpu/suite.h"

namespace zs::gpu {
namespace {

struct Case {
  ModelConfig model;
  int64_t micro_batch;
  int64_t seq_len;
  bool tuned = false;  // once more, with what is measured to be fastest
};

ModelConfig Qwen(int64_t hidden, int64_t head_size, int64_t vocab, bool tied) {
  return {.name = "qwen-like",
          .layers = 2,
          .hidden = hidden,
          .heads = 4,
          .kv_heads = 2,
          .head_size = head_size,
          .ffn = 2 * hidden + 16,
          .vocab = vocab,
          .max_seq_len = 512,
          .norm = "rmsnorm",
          .norm_eps = 1e-6,
          .position = "rope",
          .activation = "swiglu",
          .qk_norm = true,
          .tied_embeddings = tied,
          .init_std = 0.1};
}

ModelConfig Gpt(int64_t heads, int64_t head_size, int64_t vocab) {
  return {.name = "gpt-like",
          .layers = 3,
          .hidden = heads * head_size,
          .heads = heads,
          .kv_heads = heads,
          .head_size = head_size,
          .ffn = 4 * heads * head_size,
          .vocab = vocab,
          .max_seq_len = 512,
          .norm = "layernorm",
          .position = "learned",
          .activation = "gelu",
          .bias = true,
          .init_std = 0.1};
}

// Initial parameters that bf16 holds exactly, none of them zero.
void Fill(const Case& c, Suite& suite, FlatHooks& flat) {
  const std::vector<Unit> units = Layout(c.model);
  for (size_t u = 0; u < units.size(); ++u) {
    InitializeUnit(c.model, static_cast<int>(u), 7,
                   &flat.parameters[flat.offset(static_cast<int>(u))]);
  }
  const std::vector<float> noise =
      suite.Noise(static_cast<int64_t>(flat.parameters.size()), 0.05f);
  for (size_t i = 0; i < noise.size(); ++i) {
    flat.parameters[i] = ToFloat(ToBf16(flat.parameters[i] + noise[i]));
  }
}

// One pass of a decoder on OPS; the loss, or NaN after an error.
double Pass(Suite& suite, Ops& ops, const Case& c, const std::string& recompute,
            const std::vector<int32_t>& tokens, UnitHooks& hooks) {
  auto decoder =
      Decoder::Create(c.model, {c.micro_batch, c.seq_len, recompute}, ops);
  suite.Expect(decoder.status(), "create the decoder");
  if (!decoder.ok()) {
    return std::nan("");
  }
  const std::vector<int32_t> targets(tokens.rbegin(), tokens.rend());
  suite.Expect((*decoder)->Forward(tokens, targets, 1.0f, hooks), "forward");
  suite.Expect((*decoder)->Backward(hooks), "backward");
  const Result<double> loss = (*decoder)->Loss();
  suite.Expect(loss.status(), "run");
  return loss.ok() ? *loss : std::nan("");
}

// Relative L2 distance of all gradients, and the worst parameter's.
void CompareGradients(Suite& suite, const Case& c, FlatHooks& flat,
                      DeviceHooks& device) {
  // Sums of products of activations that are each rounded to bf16.
  constexpr Tolerance kGradientClose = {6e-2, 1.0};
  double worst = 0;
  std::string worst_name;
  const std::vector<Unit> units = Layout(c.model);
  for (int u = 0; u < static_cast<int>(units.size()); ++u) {
    for (const Parameter& p : units[u].parameters) {
      const float* at = &flat.gradients[flat.offset(u) + p.offset];
      const std::vector<double> want(at, at + p.size);
      const std::vector<double> got = device.Read(u, p);
      double error = 0;
      double total = 0;
      for (size_t i = 0; i < got.size(); ++i) {
        error += (got[i] - want[i]) * (got[i] - want[i]);
        total += want[i] * want[i];
      }
      const double relative = std::sqrt(error / total);
      if (!(relative <= worst)) {
        worst = relative;
        worst_name = p.name;
      }
      suite.Compare("gradient of " + p.name, got, want, kGradientClose);
    }
  }
  std::printf("  worst gradient: %s, relative error %.4f\n", worst_name.c_str(),
              worst);
}

std::vector<double> AllGradients(const Case& c, DeviceHooks& device) {
  std::vector<double> all;
  const std::vector<Unit> units = Layout(c.model);
  for (int u = 0; u < static_cast<int>(units.size()); ++u) {
    for (const Parameter& p : units[u].parameters) {
      const std::vector<double> values = device.Read(u, p);
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  return all;
}

// More uploads, fetches and marks than are kept at once, none waited for before
// the last one.
void RunAhead(Suite& suite) {
  if (!suite.Begin("run ahead")) {
    return;
  }
  auto ops =
      MakeCudaOps({.device = 0, .deterministic = true, .gemm_cache_path = ""});
  suite.Expect(ops.status(), "open the GPU");
  if (!ops.ok()) {
    return;
  }
  constexpr int64_t kTurns = 100;
  constexpr int64_t kSize = 50000;
  constexpr auto kBytes = kSize * static_cast<int64_t>(sizeof(float));
  Result<void*> data = (*ops)->Allocate(kBytes);
  Result<void*> sums = (*ops)->Allocate(8 * kTurns);
  Result<void*> pinned = (*ops)->AllocatePinned(8 * kTurns);
  if (!data.ok() || !sums.ok() || !pinned.ok()) {
    suite.Note(false, "allocate", "no memory");
    return;
  }
  auto* const on_device = static_cast<double*>(*sums);
  auto* const on_host = static_cast<double*>(*pinned);
  std::vector<double> want;
  std::vector<float> values(kSize);
  const int64_t begin = (*ops)->Mark();
  int64_t end = begin;
  for (int64_t turn = 0; turn < kTurns; ++turn) {
    std::fill(values.begin(), values.end(), static_cast<float>(turn));
    (*ops)->Upload(values.data(), *data, kBytes);
    (*ops)->SquaredNorm(static_cast<float*>(*data), kSize, on_device + turn);
    (*ops)->AddMean(static_cast<float*>(*data), kSize, on_device + turn);
    (*ops)->Fetch(on_device + turn, on_host + turn, 8);
    want.push_back(static_cast<double>(kSize * turn * turn + turn));
    end = (*ops)->Mark();
  }
  suite.Expect((*ops)->WaitFor(end), "wait for the last mark");
  suite.Compare("sums", {on_host, on_host + kTurns}, want, {1e-12, 1e-12});
  suite.Note((*ops)->MsBetween(begin, end) > 0, "time", "none");
  (*ops)->ReleaseMarks(end);
  suite.Note((*ops)->MsBetween(begin, end) == 0 && !(*ops)->Finish().ok(),
             "a released mark is refused", "it was not");
  (*ops)->Free(*data);
  (*ops)->Free(*sums);
  (*ops)->FreePinned(*pinned);
}

void Append(std::string& out, const void* data, size_t bytes) {
  out.append(static_cast<const char*>(data), bytes);
}

// What torch_parity.py reads: see above. Returns whether it was written.
bool Write(const std::string& path, const Case& c, double loss,
           const std::vector<int32_t>& tokens, const FlatHooks& flat,
           DeviceHooks& device) {
  Json list = Json::array();
  std::string parameters;
  std::string gradients;
  const std::vector<Unit> units = Layout(c.model);
  for (int u = 0; u < static_cast<int>(units.size()); ++u) {
    for (const Parameter& p : units[u].parameters) {
      list.push_back({{"name", p.name}, {"shape", p.shape}});
      Append(parameters, &flat.parameters[flat.offset(u) + p.offset],
             p.size * sizeof(float));
      const std::vector<double> wide = device.Read(u, p);
      const std::vector<float> values(wide.begin(), wide.end());
      Append(gradients, values.data(), values.size() * sizeof(float));
    }
  }
  const Json header = {{"model", ToJson(c.model)},
                       {"micro_batch", c.micro_batch},
                       {"seq_len", c.seq_len},
                       {"loss", loss},
                       {"parameters", list}};
  std::ofstream file(path, std::ios::binary);
  file << header.dump() << '\n' << parameters << gradients;
  file.write(reinterpret_cast<const char*>(tokens.data()),
             static_cast<std::streamsize>(tokens.size() * sizeof(int32_t)));
  return file.good();
}

// The algorithms and epilogues that are measured to be fastest.
void RunTuned(Suite& suite, const Case& c, const std::vector<int32_t>& tokens,
              FlatHooks& flat, double want) {
  auto ops =
      MakeCudaOps({.device = 0, .deterministic = false, .gemm_cache_path = ""});
  suite.Expect(ops.status(), "open the GPU");
  if (!ops.ok()) {
    return;
  }
  DeviceHooks device(**ops, c.model, flat);
  for (int i = 0; i < 2; ++i) {  // the first pass chooses
    device.Clear();
    const double got = Pass(suite, **ops, c, "none", tokens, device);
    suite.Note(std::abs(got - want) <= 0.01 * std::abs(want), "tuned loss",
               std::to_string(got) + " instead of " + std::to_string(want));
    CompareGradients(suite, c, flat, device);
  }
}

void Run(Suite& suite, const Case& c, const std::string& folder) {
  const std::string name = c.model.name +
                           " hidden=" + std::to_string(c.model.hidden) +
                           " head_size=" + std::to_string(c.model.head_size) +
                           " vocab=" + std::to_string(c.model.vocab) +
                           " seq_len=" + std::to_string(c.seq_len);
  if (!suite.Begin(name)) {
    return;
  }
  FlatHooks flat(c.model);
  Fill(c, suite, flat);
  const std::vector<int32_t> tokens = suite.Integers(
      c.micro_batch * c.seq_len, static_cast<int32_t>(c.model.vocab));
  const std::unique_ptr<Ops> cpu = MakeCpuOps(4);
  const double want = Pass(suite, *cpu, c, "none", tokens, flat);

  auto ops =
      MakeCudaOps({.device = 0, .deterministic = true, .gemm_cache_path = ""});
  suite.Expect(ops.status(), "open the GPU");
  if (!ops.ok()) {
    return;
  }
  DeviceHooks device(**ops, c.model, flat);
  const double got = Pass(suite, **ops, c, "none", tokens, device);
  std::printf("%s: loss on the CPU %.6f, on the GPU %.6f\n", name.c_str(), want,
              got);
  suite.Note(std::abs(got - want) <= 0.01 * std::abs(want), "loss",
             std::to_string(got) + " instead of " + std::to_string(want));
  CompareGradients(suite, c, flat, device);
  if (!folder.empty()) {
    const std::string path = folder + "/" + c.model.name + "-" +
                             std::to_string(c.model.vocab) + ".case";
    suite.Note(Write(path, c, got, tokens, flat, device), "write", path);
  }
  const std::vector<double> first = AllGradients(c, device);
  for (const char* recompute : {"none", "cheap", "full"}) {
    device.Clear();
    const double again = Pass(suite, **ops, c, recompute, tokens, device);
    suite.Note(again == got, std::string("loss again, recompute ") + recompute,
               std::to_string(again));
    suite.Compare(std::string("gradients again, recompute ") + recompute,
                  AllGradients(c, device), first, kExact);
  }
  // Other algorithms may serve products that add to nothing.
  device.Poison();
  (void)Pass(suite, **ops, c, "none", tokens, device);
  suite.Compare("gradients that overwrite", AllGradients(c, device), first,
                {1e-5, 1e-5});
  if (c.tuned) {
    RunTuned(suite, c, tokens, flat, want);
  }
  std::printf("%s", (*ops)->Describe().find("own kernels") == std::string::npos
                        ? ""
                        : "  attention by own kernels\n");
}

int Main(const std::string& filter, const std::string& folder) {
  Suite suite(filter);
  const Status status = suite.Start();
  if (!status.ok()) {
    std::fprintf(stderr, "no GPU to test on: %s\n", status.message().c_str());
    return 3;
  }
  const std::vector<Case> cases = {
      {Qwen(128, 32, 512, true), 2, 64}, {Qwen(256, 128, 1000, true), 2, 200},
      {Qwen(96, 64, 300, false), 3, 77}, {Gpt(4, 64, 512), 2, 128, true},
      {Gpt(3, 32, 257), 1, 65},          {Gpt(5, 10, 129), 2, 33}};
  RunAhead(suite);
  for (const Case& c : cases) {
    Run(suite, c, folder);
  }
  return suite.Finish();
}

}  // namespace
}  // namespace zs::gpu

int main(int argc, char** argv) {
  return zs::gpu::Main(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
}
