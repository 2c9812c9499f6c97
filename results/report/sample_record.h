// A database in the test's folder, filled with runs of known numbers.
#ifndef RESULTS_REPORT_SAMPLE_RECORD_H_
#define RESULTS_REPORT_SAMPLE_RECORD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "results/store/store.h"

namespace zs::results {

// One run to record. Its loss at step s is 4 - s / 100. A world size of 0 and
// bytes_per_step of -1 stand for what nobody knows.
struct SampleRun {
  std::string name;
  int zero = 0;
  int zero_effective = 0;
  int world_size = 2;
  double step_ms = 100;  // mean of the times; the first step takes 10x
  double noise = 0.02;   // the times go through +-this share
  int64_t steps = 30;
  int64_t warmup_steps = 5;
  double loss_offset = 0;  // added to every loss
  bool tells_loss = true;
  int64_t global_batch = 8;
  int64_t bytes_per_step = 1000000;  // sent
  int64_t theory_per_step = 1000000;
  int64_t optimizer_bytes = 8000000;
  int64_t gradient_bytes = 4000000;
  double forward_ms = 0;  // 0: not recorded
  std::vector<PredictionRow> predictions;
  double other_cpu_pct = 0;  // of its only node; 0: no node is recorded
  int repeat = 1;
  std::string op = "all_reduce";  // that all traffic is recorded under
  std::string extra_spec;  // further members of the specification: ,"x":1
  MeasurementState measurement = MeasurementState::kValid;
  Verdict verdict = Verdict::kPass;
};

// Aborts the test on any error.
class SampleRecord {
 public:
  SampleRecord();
  ~SampleRecord();
  SampleRecord(const SampleRecord&) = delete;
  SampleRecord& operator=(const SampleRecord&) = delete;

  // A new sweep, the current one from now on.
  int64_t BeginSweep(const std::string& name);

  // An experiment of the current sweep; its id.
  int64_t AddExperiment(const SampleRun& sample);

  // Another run of EXPERIMENT; the run's id.
  int64_t AddRunOf(int64_t experiment, const SampleRun& sample);

  // Records the experiment and one run of it; the run's id.
  int64_t AddRun(const SampleRun& sample);

  Store& store() { return *store_; }
  const Reader& reader() const { return store_->reader(); }
  int64_t sweep_id() const { return sweep_id_; }

 private:
  std::string folder_;
  std::unique_ptr<Store> store_;
  int64_t sweep_id_ = 0;
};

// z0, z1 and z2 on two ranks as they should be: z1 3% faster than z0, z2 5%
// slower.
std::vector<SampleRun> ThreeStages();

}  // namespace zs::results

#endif  // RESULTS_REPORT_SAMPLE_RECORD_H_
