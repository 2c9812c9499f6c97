#include "runner/sweep/import_settings.h"

#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runner/plan/spec/fault.h"

namespace zs {
namespace {

// A field that `--set` can give.
struct Setting {
  std::string_view name;
  int64_t min;
  int64_t max;
  void (*apply)(Experiment&, int64_t);
};

constexpr int64_t kMany = 1'000'000'000;

constexpr Setting kSettings[] = {
    {"zero_stage", 0, 3,
     [](Experiment& e, int64_t n) {
       e.train.zero_stage = static_cast<int>(n);
     }},
    {"micro_batch", 1, kMany,
     [](Experiment& e, int64_t n) { e.train.micro_batch = n; }},
    {"global_batch", 1, kMany,
     [](Experiment& e, int64_t n) { e.train.global_batch = n; }},
    {"seq_len", 1, kMany,
     [](Experiment& e, int64_t n) { e.train.seq_len = n; }},
    {"steps", 1, kMany, [](Experiment& e, int64_t n) { e.train.steps = n; }},
    {"warmup_steps", 0, kMany,
     [](Experiment& e, int64_t n) { e.train.warmup_steps = n; }},
    {"ranks_per_node", 1, 4096,
     [](Experiment& e, int64_t n) {
       e.topology.ranks_per_node = static_cast<int>(n);
     }},
};

}  // namespace

Status ApplySetting(const std::string& name, const std::string& text,
                    Experiment& experiment) {
  if (name == "model") {
    experiment.model.name = text;
    return OkStatus();
  }
  std::vector<std::string_view> names = {"model"};
  for (const Setting& setting : kSettings) {
    names.push_back(setting.name);
    if (setting.name != name) {
      continue;
    }
    int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() ||
        value < setting.min || value > setting.max) {
      return InvalidArgumentError(
          "--set " + name + "=" + text + ": allowed: whole numbers from " +
          std::to_string(setting.min) + " to " + std::to_string(setting.max));
    }
    setting.apply(experiment, value);
    return OkStatus();
  }
  std::string known;
  for (const std::string_view one : names) {
    known += (known.empty() ? "" : ", ") + std::string(one);
  }
  return InvalidArgumentError("--set " + name + ": unknown" +
                              DidYouMean(name, names) + "; known: " + known);
}

}  // namespace zs
