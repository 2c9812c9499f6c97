#include "engine/api/collectives_config.h"

#include "engine/api/fields.h"

namespace zs {

template <typename Visitor>
void VisitFields(Visitor& v, CollectivesConfig& c) {
  const double gib_16 = 17179869184.0;
  v.Field("ops", c.ops, FieldRange{.required = true});
  v.Field("min_bytes", c.min_bytes, FieldRange{.min = 4, .max = gib_16});
  v.Field("max_bytes", c.max_bytes, FieldRange{.min = 4, .max = gib_16});
  v.Field("iterations", c.iterations, FieldRange{.min = 1, .max = 1e6});
  v.Field("warmup", c.warmup, FieldRange{.min = 0, .max = 1e6});
  v.Field("check", c.check, FieldRange{});
}

template <typename Visitor>
void VisitFields(Visitor& v, CollectivesRun& r) {
  v.Field("experiment", r.experiment, FieldRange{});
  v.Field("device", r.device,
          FieldRange{.one_of = {"cpu", "cuda"}, .required = true});
  v.Struct("collectives", r.collectives);
  v.Field("threads_per_rank", r.threads_per_rank,
          FieldRange{.min = 0, .max = 4096});
  v.Field("collective_timeout_s", r.collective_timeout_s,
          FieldRange{.min = 0.01, .max = 1e6});
}

namespace {

bool IsKnown(const std::string& op) {
  for (const char* known : kCollectiveOps) {
    if (op == known) {
      return true;
    }
  }
  return false;
}

void AddFaults(const CollectivesConfig& c, std::vector<std::string>& faults) {
  for (const std::string& op : c.ops) {
    if (!IsKnown(op)) {
      faults.push_back("collectives.ops: \"" + op +
                       "\" is not allowed; allowed: \"all_reduce\", "
                       "\"reduce_scatter\", \"all_gather\", \"broadcast\", "
                       "\"send_receive\"");
    }
  }
  if (c.min_bytes > c.max_bytes) {
    faults.push_back("collectives.min_bytes: " + std::to_string(c.min_bytes) +
                     " is more than max_bytes " + std::to_string(c.max_bytes));
  }
}

}  // namespace

double BusFactor(const std::string& op, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  if (op == "all_reduce") {
    return 2 * others;
  }
  return op == "reduce_scatter" || op == "all_gather" ? others : 1;
}

Json ToJson(const CollectivesRun& run) {
  CollectivesRun copy = run;
  FieldWriter writer;
  VisitFields(writer, copy);
  Json json = writer.Take();
  json["schema"] = 1;
  return json;
}

bool IsCollectivesRun(const Json& json) {
  return json.is_object() && json.contains("collectives");
}

Result<CollectivesRun> CollectivesRunFromJson(const Json& json) {
  std::vector<std::string> faults;
  CollectivesRun run;
  FieldReader reader(json, "", faults);
  int schema = 1;
  reader.Field("schema", schema,
               FieldRange{.min = 1, .max = 1, .required = true});
  VisitFields(reader, run);
  reader.Finish();
  AddFaults(run.collectives, faults);
  if (faults.empty()) {
    return run;
  }
  std::string text;
  for (const std::string& fault : faults) {
    text += (text.empty() ? "" : "\n") + fault;
  }
  return InvalidArgumentError(text);
}

}  // namespace zs
