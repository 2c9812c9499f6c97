#include "results/report/sample_record.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace zs::results {
namespace {

template <typename T>
T OrDie(Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
    std::abort();
  }
  return std::move(result).value();
}

void OrDie(const Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::abort();
  }
}

// Between -1 and 1: multiples of the golden ratio, which spread evenly and
// never repeat.
double Wobble(int64_t step) {
  const double turn = static_cast<double>(step) * 0.6180339887498949;
  return 2 * (turn - static_cast<double>(static_cast<int64_t>(turn))) - 1;
}

StepRow StepOf(const SampleRun& sample, int64_t number) {
  StepRow step;
  step.step = number;
  step.step_ms = sample.step_ms * (1 + sample.noise * Wobble(number)) *
                 (number == 1 ? 10 : 1);
  step.tokens = sample.global_batch * 128;
  if (sample.tells_loss) {
    step.loss = 4 - static_cast<double>(number) / 100 + sample.loss_offset;
  }
  step.comm_exposed_ms = sample.step_ms / 20;
  if (sample.forward_ms > 0) {
    step.forward_ms = sample.forward_ms;
  }
  if (sample.world_size > 1) {
    step.comm = {{sample.op, 4,
                  sample.bytes_per_step < 0
                      ? std::nullopt
                      : std::optional<int64_t>(sample.bytes_per_step),
                  6.5}};
  }
  return step;
}

MemoryRow MemoryOf(const SampleRun& sample) {
  MemoryRow memory;
  memory.parameters = 4000000;
  memory.gradients = sample.gradient_bytes;
  memory.optimizer = sample.optimizer_bytes;
  memory.activations = 3000000;
  memory.logits = 500000;
  memory.workspace = 100000;
  memory.communication = 400000;
  memory.total = 8000000 + sample.gradient_bytes + sample.optimizer_bytes;
  return memory;
}

RunOutcome OutcomeOf(const SampleRun& sample) {
  RunOutcome outcome;
  outcome.process = ProcessState::kExited;
  outcome.process_reason = "every rank ended with status 0";
  outcome.measurement = sample.measurement;
  outcome.measurement_reason = std::to_string(sample.steps) + " steps";
  outcome.verdict = sample.verdict;
  outcome.verdict_reason =
      sample.verdict == Verdict::kPass ? "all expectations hold" : "too slow";
  outcome.ended_unix_ms = 1'700'000'012'500;
  if (sample.tells_loss) {
    outcome.final_loss =
        4 - static_cast<double>(sample.steps) / 100 + sample.loss_offset;
  }
  return outcome;
}

std::string SpecOf(const SampleRun& sample) {
  return R"({"name":")" + sample.name + R"(","model":{"layers":2},)" +
         R"("train":{"zero_stage":)" + std::to_string(sample.zero) +
         R"(,"global_batch":)" + std::to_string(sample.global_batch) + "}" +
         sample.extra_spec + "}";
}

}  // namespace

SampleRecord::SampleRecord()
    : folder_(std::string(std::getenv("TEST_TMPDIR") != nullptr
                              ? std::getenv("TEST_TMPDIR")
                              : "/tmp") +
              "/record" + std::to_string(::getpid())) {
  std::filesystem::remove_all(folder_);
  store_ = OrDie(Store::Open({folder_ + "/results.db", 0}));
  BeginSweep("qwen");
}

SampleRecord::~SampleRecord() {
  store_.reset();
  std::filesystem::remove_all(folder_);
}

int64_t SampleRecord::BeginSweep(const std::string& name) {
  SweepStart sweep;
  sweep.name = name;
  sweep.file = name + ".jsonnet";
  sweep_id_ = OrDie(store_->BeginSweep(sweep));
  return sweep_id_;
}

int64_t SampleRecord::AddExperiment(const SampleRun& sample) {
  Experiment e;
  e.name = sample.name;
  e.spec_json = SpecOf(sample);
  e.key = "key of " + sample.name + e.spec_json;
  e.backend = "engine";
  e.model = "gpt_smoke";
  e.zero_requested = sample.zero;
  if (sample.world_size > 0) {
    e.world_size = sample.world_size;
  }
  e.global_batch = sample.global_batch;
  e.seq_len = 128;
  e.steps = sample.steps;
  e.warmup_steps = sample.warmup_steps;
  return OrDie(store_->AddExperiments(sweep_id_, {e})).front();
}

int64_t SampleRecord::AddRun(const SampleRun& sample) {
  return AddRunOf(AddExperiment(sample), sample);
}

int64_t SampleRecord::AddRunOf(int64_t experiment, const SampleRun& sample) {
  RunStart start;
  start.experiment_id = experiment;
  start.repeat = sample.repeat;
  start.started_unix_ms = 1'700'000'000'000;
  start.environment_json = R"({"kernel":"6.1"})";
  start.mem_predicted = MemoryOf(sample);
  start.predictions = sample.predictions;
  if (sample.world_size > 1) {
    start.comm_theory = {{"all_reduce", sample.theory_per_step}};
  }
  const int64_t run = OrDie(store_->BeginRun(start));
  Effective effective;
  effective.zero_stage = sample.zero_effective;
  if (sample.world_size > 0) {
    effective.world_size = sample.world_size;
  }
  effective.device = "cpu";
  effective.accumulation = 2;
  OrDie(store_->SetEffective(run, effective));
  std::vector<StepRow> steps;
  for (int64_t number = 1; number <= sample.steps; ++number) {
    steps.push_back(StepOf(sample, number));
  }
  if (sample.other_cpu_pct > 0) {
    OrDie(store_->AddNodes(run, {{.host = "here",
                                  .ranks = sample.world_size,
                                  .other_cpu_pct = sample.other_cpu_pct}}));
  }
  OrDie(store_->AddMemory(run, {MemoryOf(sample)}));
  OrDie(store_->FinishRun(run, steps, OutcomeOf(sample)));
  return run;
}

std::vector<SampleRun> ThreeStages() {
  SampleRun z0;
  z0.name = "z0";
  SampleRun z1 = z0;
  z1.name = "z1";
  z1.zero = z1.zero_effective = 1;
  z1.step_ms = 100 / 1.03;
  z1.optimizer_bytes /= 2;
  SampleRun z2 = z1;
  z2.name = "z2";
  z2.zero = z2.zero_effective = 2;
  z2.step_ms = 105;
  z2.gradient_bytes /= 2;
  return {z0, z1, z2};
}

}  // namespace zs::results
