#include "runner/cli/sweep_start.h"

#include <unistd.h>

#include "base/json.h"
#include "results/store/mask.h"
#include "runner/cli/version.h"

namespace zs {

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
  return start;
}

}  // namespace zs
