#include "engine/checkpoint/checkpoint_format.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <limits>

namespace zs {
namespace {

constexpr const char* kFormat = "zerosweep-checkpoint";
constexpr int64_t kVersion = 1;
constexpr std::string_view kStepPrefix = "step_";

// The parameters of MODEL by name, as far as they decide what a file holds.
Json LayoutJson(const ModelConfig& model) {
  Json units = Json::array();
  for (const Unit& unit : Layout(model)) {
    Json parameters = Json::array();
    for (const Parameter& p : unit.parameters) {
      parameters.push_back(
          {{"name", p.name}, {"shape", p.shape}, {"offset", p.offset}});
    }
    units.push_back({{"name", unit.name},
                     {"size", unit.size},
                     {"parameters", std::move(parameters)}});
  }
  return units;
}

// Reads members of an object and remembers the first that is not as it should.
class Members {
 public:
  explicit Members(const Json& object) : object_(object) {}

  int64_t Integer(const char* name) {
    const auto found = object_.find(name);
    if (found == object_.end() || !found->is_number_integer() ||
        found->get<double>() < 0) {
      return Bad(name);
    }
    return found->get<int64_t>();
  }
  // A number, or any text for one that is none.
  double Number(const char* name) {
    const auto found = object_.find(name);
    return found != object_.end() && found->is_number()
               ? found->get<double>()
               : std::numeric_limits<double>::quiet_NaN();
  }
  std::string Text(const char* name) {
    const auto found = object_.find(name);
    if (found == object_.end() || !found->is_string()) {
      Bad(name);
      return "";
    }
    return found->get<std::string>();
  }
  Status status() const {
    return bad_.empty() ? OkStatus()
                        : DataLossError("member '" + bad_ +
                                        "' is missing or of another type");
  }

 private:
  int64_t Bad(const char* name) {
    if (bad_.empty()) {
      bad_ = name;
    }
    return 0;
  }

  const Json& object_;
  std::string bad_;
};

// Members of a model that decide nothing for a training that goes on. Where
// max_seq_len is the rows of an embedding, the parameters' shapes have it.
constexpr std::array<std::string_view, 3> kFreeOfModel = {"name", "init_std",
                                                          "max_seq_len"};

// What else must be as it was.
struct Fixed {
  const char* part;
  const char* member;
  const char* decides;
};
constexpr std::array<Fixed, 4> kFixed = {{
    {"train", "seed", "the order of samples"},
    {"train", "seq_len", "what a sample is"},
    {"data", "kind", "what the samples are"},
    {"data", "paths", "what the samples are"},
}};

// PART.MEMBER of a manifest or of a configuration; null where there is none.
Json MemberOf(const Json& json, std::string_view part,
              std::string_view member) {
  const auto found = json.find(std::string(part));
  if (found == json.end() || !found->is_object()) {
    return nullptr;
  }
  return found->value(std::string(member), Json());
}

Status CheckSame(const Json& manifest, const Json& config,
                 std::string_view part, std::string_view member,
                 std::string_view decides) {
  const Json found = MemberOf(manifest, part, member);
  const Json wanted = MemberOf(config, part, member);
  if (found == wanted) {
    return OkStatus();
  }
  const std::string field = std::string(part) + "." + std::string(member);
  return FailedPreconditionError(
      field + " is " + DumpJson(wanted) +
      ", and the checkpoint was saved with " + DumpJson(found) +
      "; it decides " + std::string(decides) +
      ", so go on with that value, or train from the start without "
      "checkpoint.load_dir");
}

// Whether a training of CONFIG can go on from the checkpoint in JSON.
Status CheckSuits(const Json& json, const RunConfig& config) {
  const Json wanted = ToJson(config);
  const Json model = ToJson(config.model);
  for (const auto& [member, value] : model.items()) {
    if (std::find(kFreeOfModel.begin(), kFreeOfModel.end(), member) ==
        kFreeOfModel.end()) {
      RETURN_IF_ERROR(
          CheckSame(json, wanted, "model", member, "what the parameters mean")
              .WithContext("the checkpoint is of another model"));
    }
  }
  const auto units = json.find("units");
  if (units == json.end() || *units != LayoutJson(config.model)) {
    return FailedPreconditionError(
        "the checkpoint is of another model; the sizes and names of the "
        "parameters must be those of the configuration's model");
  }
  for (const Fixed& fixed : kFixed) {
    RETURN_IF_ERROR(
        CheckSame(json, wanted, fixed.part, fixed.member, fixed.decides));
  }
  return OkStatus();
}

}  // namespace

std::string CheckpointName(int64_t step) {
  std::array<char, 40> name = {};
  std::snprintf(name.data(), name.size(), "step_%08lld",
                static_cast<long long>(step));
  return name.data();
}

int64_t StepOfCheckpoint(const std::string& name) {
  const size_t digits = name.size() - std::min(name.size(), kStepPrefix.size());
  if (name.substr(0, kStepPrefix.size()) != kStepPrefix || digits < 8 ||
      digits > 18 ||
      !std::all_of(name.begin() + kStepPrefix.size(), name.end(),
                   [](unsigned char c) { return std::isdigit(c) != 0; })) {
    return -1;
  }
  return std::stoll(name.substr(kStepPrefix.size()));
}

std::string RankFileName(int rank) {
  std::array<char, 40> name = {};
  std::snprintf(name.data(), name.size(), "rank_%05d.bin", rank);
  return name.data();
}

std::array<char, kCheckpointHeaderBytes> CheckpointHeader(int rank,
                                                          int world_size,
                                                          int64_t step) {
  std::array<char, kCheckpointHeaderBytes> header = {};
  const std::array<uint64_t, 3> numbers = {static_cast<uint64_t>(rank),
                                           static_cast<uint64_t>(world_size),
                                           static_cast<uint64_t>(step)};
  std::memcpy(header.data(), "ZSCKPT1\n", 8);
  std::memcpy(header.data() + 8, numbers.data(), sizeof numbers);
  return header;
}

int64_t PartOffset(const std::vector<UnitPartition>& units, size_t unit,
                   ShardPart part) {
  int64_t elements = static_cast<int>(part) * units[unit].shard;
  for (size_t u = 0; u < unit; ++u) {
    elements += 3 * units[u].shard;
  }
  return kCheckpointHeaderBytes + elements * 4;
}

int64_t RankFileBytes(const std::vector<UnitPartition>& units) {
  const size_t last = units.size() - 1;
  return PartOffset(units, last, ShardPart::kSecondMoments) +
         units[last].shard * 4;
}

std::string ManifestText(const CheckpointManifest& manifest,
                         const RunConfig& config) {
  Json files = Json::array();
  for (size_t rank = 0; rank < manifest.files.size(); ++rank) {
    files.push_back({{"name", RankFileName(static_cast<int>(rank))},
                     {"size_bytes", manifest.files[rank].size_bytes},
                     {"sha256", manifest.files[rank].sha256}});
  }
  const Json json = {{"format", kFormat},
                     {"version", kVersion},
                     {"step", manifest.position.step},
                     {"next_sample", manifest.position.next_sample},
                     {"loss", manifest.position.loss},
                     {"zero_stage", manifest.zero_stage},
                     {"world_size", manifest.world_size()},
                     {"model", ToJson(config.model)},
                     {"train", ToJson(config.train)},
                     {"data", ToJson(config.data)},
                     {"units", LayoutJson(config.model)},
                     {"files", std::move(files)}};
  return DumpJsonPretty(json) + "\n";
}

Result<CheckpointManifest> ParseManifest(const std::string& text,
                                         const RunConfig& config) {
  Result<Json> parsed = ParseJson(text);
  if (!parsed.ok() || !parsed->is_object()) {
    return DataLossError("not a JSON object: " + parsed.status().message());
  }
  const Json& json = *parsed;
  Members members(json);
  if (members.Text("format") != kFormat ||
      members.Integer("version") != kVersion) {
    return FailedPreconditionError(
        "not a checkpoint of a format that this program knows");
  }
  RETURN_IF_ERROR(CheckSuits(json, config));
  CheckpointManifest manifest;
  manifest.position.step = members.Integer("step");
  manifest.position.next_sample = members.Integer("next_sample");
  manifest.position.loss = members.Number("loss");
  manifest.zero_stage = static_cast<int>(members.Integer("zero_stage"));
  RETURN_IF_ERROR(members.status());
  const auto files = json.find("files");
  if (files == json.end() || !files->is_array() || files->empty()) {
    return DataLossError("member 'files' is missing or of another type");
  }
  for (const Json& entry : *files) {
    Members file(entry);
    manifest.files.push_back({.size_bytes = file.Integer("size_bytes"),
                              .sha256 = file.Text("sha256")});
    RETURN_IF_ERROR(file.status().WithContext("files"));
  }
  return manifest;
}

}  // namespace zs
