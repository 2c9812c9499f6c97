#include "engine/api/run_config.h"

#include "engine/api/run_config_fields.h"

namespace zs {

template <typename Visitor>
void VisitFields(Visitor& v, RunConfig& c) {
  v.Field("experiment", c.experiment, FieldRange{});
  v.Field("device", c.device,
          FieldRange{.one_of = {"cpu", "cuda"}, .required = true});
  v.Struct("model", c.model);
  v.Struct("data", c.data);
  v.Struct("train", c.train);
  v.Struct("checkpoint", c.checkpoint);
  v.Field("threads_per_rank", c.threads_per_rank,
          FieldRange{.min = 0, .max = 4096});
  v.Field("collective_timeout_s", c.collective_timeout_s,
          FieldRange{.min = 0.01, .max = 1e6});
}

namespace {

template <typename T>
Json Written(const T& value) {
  T copy = value;
  FieldWriter writer;
  VisitFields(writer, copy);
  return writer.Take();
}

std::string Joined(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) {
    text += (text.empty() ? "" : "\n") + fault;
  }
  return text;
}

// Collects faults whose condition holds.
class FaultList {
 public:
  void AddIf(bool wrong, const std::string& message) {
    if (wrong) {
      faults_.push_back(message);
    }
  }
  std::vector<std::string> Take() { return std::move(faults_); }

 private:
  std::vector<std::string> faults_;
};

std::string Text(int64_t n) {
  return std::to_string(n);
}

void AddModelFaults(const ModelConfig& m, FaultList& faults) {
  faults.AddIf(m.kv_heads <= 0 || m.heads % m.kv_heads != 0,
               "model.kv_heads: " + Text(m.kv_heads) +
                   " does not divide heads " + Text(m.heads));
  faults.AddIf(m.position == "rope" && m.head_size % 2 != 0,
               "model.head_size: " + Text(m.head_size) +
                   " is odd; rope rotates pairs, use an even size");
}

void AddTrainFaults(const RunConfig& c, FaultList& faults) {
  const TrainConfig& t = c.train;
  faults.AddIf(t.seq_len > c.model.max_seq_len,
               "train.seq_len: " + Text(t.seq_len) +
                   " is beyond model.max_seq_len " + Text(c.model.max_seq_len));
  faults.AddIf(t.global_batch % t.micro_batch != 0,
               "train.micro_batch: " + Text(t.micro_batch) +
                   " does not divide global_batch " + Text(t.global_batch));
  faults.AddIf(t.warmup_steps >= t.steps,
               "train.warmup_steps: " + Text(t.warmup_steps) +
                   " leaves none of the " + Text(t.steps) +
                   " steps to measure");
  faults.AddIf(t.min_lr > t.lr, "train.min_lr: larger than train.lr");
  faults.AddIf(c.device == "cpu" && t.dtype != "fp32",
               "train.dtype: \"" + t.dtype +
                   "\" needs device \"cuda\"; on \"cpu\": \"fp32\"");
}

void AddFileFaults(const RunConfig& c, FaultList& faults) {
  faults.AddIf(
      c.data.kind != "random" && c.data.paths.empty(),
      "data.paths: empty; kind \"" + c.data.kind + "\" needs at least one");
  faults.AddIf(c.data.kind == "random" && !c.data.paths.empty(),
               "data.paths: kind \"random\" takes none");
  const bool saves = c.checkpoint.save_at_end || c.checkpoint.save_every > 0;
  faults.AddIf(saves && c.checkpoint.save_dir.empty(),
               "checkpoint.save_dir: missing, but saving is asked for");
}

}  // namespace

Json ToJson(const RunConfig& config) {
  Json json = Written(config);
  json["schema"] = 1;
  return json;
}
Json ToJson(const ModelConfig& model) {
  return Written(model);
}
Json ToJson(const DataConfig& data) {
  return Written(data);
}
Json ToJson(const TrainConfig& train) {
  return Written(train);
}

Result<RunConfig> RunConfigFromJson(const Json& json) {
  std::vector<std::string> faults;
  RunConfig config;
  FieldReader reader(json, "", faults);
  int schema = 1;
  reader.Field("schema", schema,
               FieldRange{.min = 1, .max = 1, .required = true});
  VisitFields(reader, config);
  reader.Finish();
  if (!faults.empty()) {
    return InvalidArgumentError(Joined(faults));
  }
  return config;
}

std::vector<std::string> Faults(const RunConfig& config) {
  FaultList faults;
  AddModelFaults(config.model, faults);
  AddTrainFaults(config, faults);
  AddFileFaults(config, faults);
  return faults.Take();
}

}  // namespace zs
