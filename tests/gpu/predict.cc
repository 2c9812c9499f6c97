// predict CONFIG WORLD_SIZE prints what a run should send and hold, as the
// events that the engine would print.
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/json.h"
#include "engine/api/event.h"
#include "engine/api/footprint.h"
#include "engine/api/layout.h"
#include "engine/api/run_config.h"

namespace zs {
namespace {

Result<RunConfig> ReadConfig(const std::string& path) {
  constexpr int64_t kMaxBytes = int64_t{16} << 20;
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxBytes));
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  return RunConfigFromJson(json);
}

int Predict(const std::string& path, int world_size) {
  const Result<RunConfig> config = ReadConfig(path);
  if (!config.ok()) {
    std::fprintf(stderr, "predict: %s: %s\n", path.c_str(),
                 config.status().message().c_str());
    return 1;
  }
  StepEvent step;
  step.comm = CommTheory(*config, world_size);
  const MemoryEvent memory{0, PredictMemory(*config, world_size)};
  std::printf("%s\n%s\n", EventLine(step).c_str(), EventLine(memory).c_str());
  return 0;
}

}  // namespace
}  // namespace zs

int main(int argc, char** argv) {
  int world_size = 0;
  const std::string_view text = argc == 3 ? argv[2] : "";
  std::from_chars(text.data(), text.data() + text.size(), world_size);
  if (world_size < 1) {
    std::fputs("usage: predict CONFIG WORLD_SIZE\n", stderr);
    return 64;
  }
  return zs::Predict(argv[1], world_size);
}
