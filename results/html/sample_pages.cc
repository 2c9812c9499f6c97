// sample_pages FOLDER: writes pages to look at and to test in a browser:
// every.html has every chart, few.html three experiments, hostile.html texts
// that attack, long.html 100 experiments of 10,000 steps.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "results/html/evidence.h"
#include "results/html/html_report.h"
#include "results/report/sample_record.h"
#include "results/report/whole_sweep.h"

namespace zs::results {
namespace {

constexpr const char* kAttack =
    "</script><script>window.pwned=1</script><img src=x "
    "onerror=\"window.pwned=1\">'\"&";

struct Content {
  Comparison comparison;
  Evidence evidence;
};

double Noise(int64_t i) {
  return std::sin(static_cast<double>(i) * 12.9898) *
         std::cos(static_cast<double>(i) * 78.233);
}

void AddGpuSamples(RunEvidence& run, int gpus, int samples) {
  const int64_t start = run.run.started_unix_ms;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    for (int i = 0; i < samples; ++i) {
      const bool busy = i > samples / 6;
      run.gpu.push_back({.gpu = gpu,
                         .at_unix_ms = start + 1000 * i,
                         .util_pct = busy ? 96 + 3 * Noise(i + gpu) : 2,
                         .power_w = busy ? 640 + 40 * Noise(i * 3 + gpu) : 90,
                         .temp_c = busy ? 62 + 4 * Noise(i / 9 + gpu) : 35,
                         .sm_clock_mhz = busy ? 1700 + 90 * Noise(i) : 345});
    }
  }
}

void AddCurves(RunEvidence& run) {
  run.roof_busbw_gb_s = 300;
  for (const char* op : {"all_reduce", "all_gather", "reduce_scatter"}) {
    for (int64_t size = 1 << 10; size <= int64_t{1} << 30; size *= 2) {
      const double ms = 0.02 + static_cast<double>(size) / 380e6;
      run.bandwidths.push_back(
          {.op = op,
           .size_bytes = size,
           .ms = ms,
           .algbw_gb_s = static_cast<double>(size) / ms / 1e6,
           .busbw_gb_s = 1.75 * static_cast<double>(size) / ms / 1e6 *
                         (op[4] == 'r' ? 0.5 : 0.45)});
    }
  }
}

void AddRunEvidence(ComparedExperiment& e, RunEvidence& run) {
  const double step = e.step_ms_median.value_or(100);
  run.parts = {{"data", 0.01 * step},
               {"forward", 0.3 * step},
               {"backward", 0.6 * step},
               {"optimizer", 0.05 * step},
               {"exposed", 0.04 * step}};
  run.predicted = {{"step", 0.93 * step},     {"forward", 0.3 * step},
                   {"backward", 0.54 * step}, {"optimizer", 0.05 * step},
                   {"exposed", 0.03 * step},  {"data", 0.01 * step},
                   {"tokens_per_s", 1 / step}};
  run.profile = "sample";
  if (e.mem_peak && e.mem_peak->total) {
    *e.mem_peak->total += 3'000'000;
  }
  run.findings = {{.code = "nccl_socket_transport",
                   .severity = Severity::kWarning,
                   .node = "g0033",
                   .rank = 3,
                   .message = "NCCL uses sockets where InfiniBand is there",
                   .hint = "unset NCCL_IB_DISABLE",
                   .evidence = "g0033:412 [3] NCCL INFO NET/Socket : Using "
                               "[0]bond0:10.0.0.33<0>"}};
}

// Three stages on 1, 2, 4 and 8 ranks.
SampleRecord& Record() {
  static SampleRecord record;
  return record;
}

Content Every() {
  for (const int ranks : {1, 2, 4, 8}) {
    for (SampleRun sample : ThreeStages()) {
      sample.world_size = ranks;
      sample.name += ranks == 8 ? "" : "_r" + std::to_string(ranks);
      sample.step_ms *= 1 + 0.04 * std::log2(ranks);
      sample.global_batch *= ranks;
      Record().AddRun(sample);
    }
  }
  Content content;
  content.comparison =
      *CompareSweep(Record().reader(), Record().sweep_id(), {});
  content.evidence = *ReadEvidence(Record().reader(), content.comparison);
  for (size_t i = 0; i < content.comparison.experiments.size(); ++i) {
    AddRunEvidence(content.comparison.experiments[i], content.evidence.runs[i]);
  }
  AddGpuSamples(content.evidence.runs[9], 8, 200);
  AddCurves(content.evidence.runs[0]);
  content.comparison.experiments[10].outliers = {12};
  content.comparison.notes = {"z1: outliers: step 12 (2.00x the median)"};
  content.comparison.differences = {
      {"z1", "asked.env.NCCL_ALGO", "\"Ring\"", "\"Tree\"", false}};
  content.evidence.sweeps[0].sweep.start.args_json =
      R"(["experiments/sweep.jsonnet","--only","z0,z1"])";
  content.evidence.sweeps[0].checks = {{.name = "disk_space",
                                        .node = "g0033",
                                        .status = CheckStatus::kPass,
                                        .found = "812 GiB",
                                        .allowed = "at least 20 GiB"},
                                       {.name = "clock",
                                        .node = "g0034",
                                        .status = CheckStatus::kWarn,
                                        .found = "1.2 s behind",
                                        .allowed = "within 1 s",
                                        .hint = "start chrony"}};
  return content;
}

// The first three alone.
Content Few(const Content& every) {
  Content few = every;
  few.comparison.experiments.erase(few.comparison.experiments.begin(),
                                   few.comparison.experiments.end() - 3);
  few.evidence.runs.erase(few.evidence.runs.begin(),
                          few.evidence.runs.end() - 3);
  return few;
}

Content Hostile(Content content) {
  content.comparison.verdict_lines = {{VerdictKind::kBest, kAttack}};
  content.comparison.notes = {kAttack};
  content.comparison.differences = {{kAttack, kAttack, kAttack, kAttack, true}};
  for (ComparedExperiment& e : content.comparison.experiments) {
    e.name += kAttack;
    e.nccl_health = kAttack;
  }
  for (RunEvidence& run : content.evidence.runs) {
    run.run.experiment.model = kAttack;
    run.findings[0].evidence = run.findings[0].message = kAttack;
    for (Operation& row : run.ledger) {
      row.op = kAttack;
    }
    for (BandwidthRow& row : run.bandwidths) {
      row.op = kAttack;
    }
  }
  content.evidence.sweeps[0].checks[0].found = kAttack;
  return content;
}

Content Long(const Content& few) {
  Content content;
  content.evidence.sweeps = few.evidence.sweeps;
  ComparedExperiment e = few.comparison.experiments[1];
  RunEvidence run = few.evidence.runs[1];
  e.times.clear();
  run.losses.clear();
  for (int64_t step = 1; step <= 10000; ++step) {
    e.times.push_back({step, 100 + Noise(step)});
    run.losses.push_back({step, 5 / std::sqrt(static_cast<double>(step))});
  }
  e.times[5000].ms = 900;
  e.window_last = 10000;
  for (int i = 0; i < 100; ++i) {
    e.name = "z1_" + std::to_string(i);
    content.comparison.experiments.push_back(e);
    content.evidence.runs.push_back(run);
  }
  content.comparison.baseline = e.baseline;
  content.comparison.verdict_lines = {
      {VerdictKind::kDetail, "A hundred experiments of 10,000 steps."}};
  return content;
}

void Write(const std::string& path, const Content& content) {
  std::ofstream(path) << WriteHtml(
      content.comparison, content.evidence,
      {.title = "Sweep sample", .again = "runner report --format html"});
}

}  // namespace
}  // namespace zs::results

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: sample_pages FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  const auto every = zs::results::Every();
  const auto few = zs::results::Few(every);
  zs::results::Write(folder + "/every.html", every);
  zs::results::Write(folder + "/few.html", few);
  zs::results::Write(folder + "/hostile.html", zs::results::Hostile(few));
  zs::results::Write(folder + "/long.html", zs::results::Long(few));
  return 0;
}
