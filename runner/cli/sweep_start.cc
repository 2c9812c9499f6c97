#include "runner/cli/sweep_start.h"

#include <unistd.h>

#include <algorithm>

#include "base/json.h"
#include "results/store/mask.h"
#include "runner/cli/version.h"
#include "runner/sweep/blocks.h"

namespace zs {
namespace {

// Of the order of repeats; 0 where nothing is repeated.
uint64_t SeedOf(const Sweep& sweep, const Clock& clock) {
  const bool repeated = std::any_of(sweep.experiments.begin(),
                                    sweep.experiments.end(), IsRepeated);
  if (!repeated || sweep.seed > 0) {
    return repeated ? static_cast<uint64_t>(sweep.seed) : 0;
  }
  // Below 2^31, so that a person can copy it into the file.
  return 1 + static_cast<uint64_t>(clock.unix_ms()) % 0x7fffffff;
}

}  // namespace

results::SweepStart SweepStartOf(const std::string& verb, const Arguments& a,
                                 const Preparation& preparation,
                                 const Clock& clock) {
  results::SweepStart start;
  start.name = preparation.sweep().name;
  start.file = a.file.file;
  Json words = Json::array({verb, a.file.file});
  for (const auto& [name, value] : a.file.tla_strs) {
    words.push_back(results::MaskSecrets("--tla-str=" + name + "=" + value));
  }
  for (const auto& [name, value] : a.file.tla_codes) {
    words.push_back(results::MaskSecrets("--tla-code=" + name + "=" + value));
  }
  start.args_json = DumpJson(results::MaskDocument(words));
  start.runner_version = kRunnerVersion;
  start.host = preparation.machine.host;
  start.pid = ::getpid();
  start.started_unix_ms = clock.unix_ms();
  start.seed = SeedOf(preparation.sweep(), clock);
  return start;
}

}  // namespace zs
