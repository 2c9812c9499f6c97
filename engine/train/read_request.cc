#include <cstdlib>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "engine/api/layout.h"
#include "engine/train/run_engine.h"

namespace zs {
namespace {

constexpr int64_t kMaxConfigBytes = int64_t{16} << 20;

Status ReadCollectives(const Json& json, EngineRequest& request) {
  ASSIGN_OR_RETURN(CollectivesRun run, CollectivesRunFromJson(json));
  request.config.experiment = run.experiment;
  request.config.device = run.device;
  request.config.threads_per_rank = run.threads_per_rank;
  request.config.collective_timeout_s = run.collective_timeout_s;
  request.collectives = std::move(run.collectives);
  return OkStatus();
}

Status ReadConfig(const std::string& text, EngineRequest& request) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (IsCollectivesRun(json)) {
    return ReadCollectives(json, request);
  }
  ASSIGN_OR_RETURN(request.config, RunConfigFromJson(json));
  return OkStatus();
}

// What does not fit the number of ranks.
void AddCollectivesFaults(const RunConfig& config, const RankEnvironment& env,
                          std::vector<std::string>& faults) {
  if (config.device == "cuda" && env.world_size == 1) {
    faults.push_back(
        "collectives: one rank has no other GPU to exchange anything with "
        "(WORLD_SIZE 1); allowed on device 'cuda': at least 2 ranks");
  }
}

void AddFaults(const RunConfig& config, const RankEnvironment& env,
               std::vector<std::string>& faults) {
  const TrainConfig& train = config.train;
  if (train.micro_batch > 0 && Accumulation(train, env.world_size) == 0) {
    faults.push_back(
        "train.global_batch: " + std::to_string(train.global_batch) +
        " is not a multiple of train.micro_batch " +
        std::to_string(train.micro_batch) + " x WORLD_SIZE " +
        std::to_string(env.world_size));
  }
  if (config.device == "cuda" && train.dtype != "bf16") {
    faults.push_back("train.dtype: '" + train.dtype +
                     "' is not computed on GPUs; allowed: 'bf16'");
  }
}

}  // namespace

Result<EngineRequest> ReadRequest(const std::string& config_path) {
  EngineRequest request;
  request.start_ns = RealClock().monotonic_ns();
  std::vector<std::string> faults;
  request.env = ReadRankEnvironment(
      [](const char* name) { return std::getenv(name); }, faults);
  const Result<std::string> text = ReadFile(config_path, kMaxConfigBytes);
  if (!text.ok()) {
    return InvalidArgumentError("--config: " + text.status().message());
  }
  const Status read = ReadConfig(*text, request).WithContext(config_path);
  if (!read.ok()) {
    faults.insert(faults.begin(), read.message());
  } else if (request.collectives) {
    AddCollectivesFaults(request.config, request.env, faults);
  } else {
    for (const std::string& fault : Faults(request.config)) {
      faults.push_back(config_path + ": " + fault);
    }
    AddFaults(request.config, request.env, faults);
  }
  if (!faults.empty()) {
    std::string message;
    for (const std::string& fault : faults) {
      message += (message.empty() ? "" : "\n") + fault;
    }
    return InvalidArgumentError(message);
  }
  request.fingerprint = Sha256Hex(*text);
  return request;
}

}  // namespace zs
