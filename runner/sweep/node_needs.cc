#include "runner/sweep/node_needs.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "engine/api/layout.h"
#include "results/store/mask.h"
#include "runner/backend/launch.h"
#include "runner/plan/fingerprint.h"

namespace zs {
namespace {

// A checkpoint has fp32 weights and two moments, 12 bytes a parameter; a
// third more for headers and what is written beside it before it is renamed.
constexpr int64_t kSavedBytesOfParameter = 16;
// NCCL keeps buffers for each pair of GPUs of a node there; NVIDIA's advice is
// 1 GiB for eight.
constexpr int64_t kShmBytesOfGpu = int64_t{128} << 20;
// Libraries, logs and data of a rank, and connections to each other rank.
constexpr int64_t kOpenFiles = 256;
constexpr int64_t kOpenFilesOfPeer = 4;
constexpr char kPython[] = "python3";

bool Saves(const CheckpointPlan& plan) {
  return plan.save_at_end || plan.save_every > 0 || plan.verify_load;
}

std::string Variable(const Experiment& experiment, const std::string& name) {
  const auto found = experiment.env.find(name);
  return found == experiment.env.end() ? "" : found->second;
}

bool UsesNccl(const Experiment& experiment) {
  return experiment.device == "cuda" ||
         (experiment.backend != Backend::kEngine &&
          experiment.backend != Backend::kCollectives);
}

bool UsesInfiniband(const Experiment& experiment) {
  const std::string disabled = Variable(experiment, "NCCL_IB_DISABLE");
  return UsesNccl(experiment) && (disabled.empty() || disabled == "0");
}

bool UsesTorchrun(const Experiment& experiment) {
  return experiment.backend == Backend::kMegatron ||
         (experiment.command && experiment.command->torchrun);
}

void AddData(const Experiment& experiment, PreflightRequest& request) {
  for (const std::string& file : DataFiles(experiment.data)) {
    request.paths.push_back({file, WantedPath::Kind::kFile, true, ""});
  }
}

// "python3", "/opt/venv/bin/python3.12".
bool IsPython(std::string_view program) {
  return program.substr(program.rfind('/') + 1).starts_with("python");
}

bool IsScript(std::string_view word) {
  return word.starts_with('/') &&
         (word.ends_with(".py") || word.ends_with(".sh"));
}

// Without what may be secret, each word in its place.
std::vector<std::string> WithoutSecrets(std::vector<std::string> words) {
  const std::vector<std::string> secrets = results::SecretArguments(words);
  for (std::string& word : words) {
    if (std::find(secrets.begin(), secrets.end(), word) != secrets.end()) {
      word.clear();
    }
    word = results::MaskSecrets(word);
  }
  return words;
}

// The programs, scripts and trees of what is not our engine.
void AddPrograms(const Experiment& experiment, PreflightRequest& request) {
  const bool several = request.nodes.size() > 1;
  request.path = Variable(experiment, "PATH");
  if (UsesTorchrun(experiment)) {
    request.programs.emplace_back("torchrun");
  }
  request.python = PythonProgramOf(experiment);
  if (experiment.megatron) {
    const MegatronSpec& megatron = *experiment.megatron;
    request.trees.push_back(megatron.root);
    if (megatron.script.starts_with('/')) {
      request.paths.push_back(
          {megatron.script, WantedPath::Kind::kFile, several, ""});
    }
    request.program_folder = megatron.root;
    request.program_words = megatron.args;
    request.program_words.push_back(megatron.script);
    request.program_words.push_back(megatron.tokenizer);
    if (megatron.tokenizer.starts_with('/')) {
      request.paths.push_back(
          {megatron.tokenizer, WantedPath::Kind::kAny, false, ""});
    }
  }
  if (experiment.command) {
    const CommandSpec& command = *experiment.command;
    if (!command.torchrun) {
      request.programs.push_back(command.argv.front());
    }
    request.program_folder = command.cwd;
    request.program_words.assign(
        command.argv.begin() + (command.torchrun ? 0 : 1), command.argv.end());
    if (!command.cwd.empty()) {
      request.paths.push_back(
          {command.cwd, WantedPath::Kind::kFolder, false, ""});
    }
    for (const std::string& word : command.argv) {
      if (IsScript(word)) {
        request.paths.push_back({word, WantedPath::Kind::kFile, several, ""});
      }
    }
  }
  request.program_words = WithoutSecrets(std::move(request.program_words));
}

void AddDeclared(const NodeNeeds& needs, PreflightRequest& request) {
  for (const std::string& path : needs.paths) {
    request.paths.push_back({path, WantedPath::Kind::kAny, false, ""});
  }
  for (const std::string& path : needs.same_files) {
    request.paths.push_back({path, WantedPath::Kind::kFile, true, ""});
  }
  request.trees.insert(request.trees.end(), needs.same_trees.begin(),
                       needs.same_trees.end());
  request.space_bytes = std::max(request.space_bytes, needs.free_bytes);
  request.shm_bytes = std::max(request.shm_bytes, needs.shm_bytes);
  request.open_files = std::max(request.open_files, needs.open_files);
  request.clock_skew_s = needs.clock_skew_s;
  if (needs.memlock_bytes != 0) {
    request.memlock_bytes = needs.memlock_bytes;
    request.memlock_for_adapters = false;
  }
}

void AddNetwork(const Experiment& experiment, PreflightRequest& request) {
  for (const char* name : {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"}) {
    if (const std::string value = Variable(experiment, name); !value.empty()) {
      request.network[name] = value;
    }
  }
  const std::string adapters = Variable(experiment, "NCCL_IB_HCA");
  if (!adapters.empty() && UsesInfiniband(experiment)) {
    request.network["NCCL_IB_HCA"] = adapters;
  }
}

}  // namespace

std::string CheckpointFolder(const Experiment& experiment,
                             const std::string& artifact_root) {
  if (!Saves(experiment.checkpoint)) {
    return "";
  }
  return experiment.checkpoint.dir.empty() ? artifact_root
                                           : experiment.checkpoint.dir;
}

PreflightRequest ChecksOf(const Experiment& experiment,
                          const std::string& checkpoint_folder) {
  const Topology& topology = experiment.topology;
  PreflightRequest request;
  for (const std::string& node : topology.nodes) {
    request.nodes.push_back({node, ReachOf(topology.reach, node)});
  }
  const bool several = request.nodes.size() > 1;
  request.open_files =
      kOpenFiles + kOpenFilesOfPeer * int64_t{experiment.world_size()};
  if (experiment.device == "cuda") {
    request.gpus = topology.ranks_per_node;
    request.shm_bytes = topology.ranks_per_node > 1
                            ? topology.ranks_per_node * kShmBytesOfGpu
                            : 0;
  }
  if (several && UsesInfiniband(experiment)) {
    request.memlock_bytes = -1;
    request.memlock_for_adapters = true;
  }
  request.space_path = checkpoint_folder.empty() ? "/tmp" : checkpoint_folder;
  if (!checkpoint_folder.empty() && experiment.backend == Backend::kEngine) {
    request.space_bytes =
        kSavedBytesOfParameter * ParameterCount(experiment.model);
  }
  request.ulimits = LimitsSet(experiment.ulimits);
  request.login_shell = experiment.login_shell;
  request.path = Variable(experiment, "PATH");
  AddNetwork(experiment, request);
  if (!topology.reach.empty()) {
    request.master_addr = MasterAddress(topology);
    request.master_port = topology.master_port;
    request.any_port = true;
    request.versions = true;
    request.leftovers = true;
    AddData(experiment, request);
    AddPrograms(experiment, request);
  }
  AddDeclared(experiment.checks, request);
  return request;
}

std::string PythonProgramOf(const Experiment& experiment) {
  if (UsesTorchrun(experiment)) {
    return kPython;
  }
  return experiment.command && IsPython(experiment.command->argv.front())
             ? experiment.command->argv.front()
             : "";
}

std::vector<std::string> VersionFlags(const std::string& device) {
  return device == "cuda" ? std::vector<std::string>{"--version", "cuda"}
                          : std::vector<std::string>{"--version"};
}

std::string KeyOf(const PreflightRequest& request, const Experiment& experiment,
                  const std::string& shared_folder) {
  Json key = {{"folder", shared_folder},
              {"backend", BackendName(experiment.backend)},
              {"device", experiment.device},
              {"accept", experiment.checks.accept},
              {"master", request.master_addr},
              {"port", request.master_port},
              {"programs", request.programs},
              {"words", request.program_words},
              {"from", {request.program_folder, request.path}},
              {"trees", request.trees},
              {"network", request.network},
              {"python", request.python},
              {"space", {request.space_path, request.space_bytes}},
              {"limits",
               {request.shm_bytes, request.memlock_bytes, request.open_files,
                request.gpus, request.clock_skew_s}},
              {"ulimits", request.ulimits},
              {"memlock_for_adapters", request.memlock_for_adapters},
              {"login_shell", request.login_shell}};
  for (const PreflightNode& node : request.nodes) {
    key["nodes"].push_back({node.name, node.reach});
  }
  for (const WantedPath& path : request.paths) {
    key["paths"].push_back(
        {path.path, static_cast<int>(path.kind), path.same_everywhere});
  }
  return DumpJson(key);
}

}  // namespace zs
