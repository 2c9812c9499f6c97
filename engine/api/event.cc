#include "engine/api/event.h"

#include <limits>
#include <utility>

#include "engine/api/fields.h"

namespace zs {
namespace {

constexpr size_t kMaxLineBytes = size_t{1} << 20;

const FieldRange kRank{.min = 0, .max = 1 << 20, .required = true};
const FieldRange kCount{.min = 0, .max = kMaxExactInteger, .required = true};
const FieldRange kOptionalCount{.min = 0, .max = kMaxExactInteger};
const FieldRange kMs{.min = 0, .max = 1e15};
const FieldRange kAnyNumber{.required = true, .non_finite = true};

}  // namespace

// Outside the unnamed namespace, so that fields.h finds them by their argument.
template <typename Visitor>
void VisitFields(Visitor& v, StartEvent& e) {
  v.Field("rank", e.rank, kRank);
  v.Field("world_size", e.world_size, kRank);
  v.Field("local_rank", e.local_rank, FieldRange{.min = 0, .max = 1 << 20});
  v.Field("host", e.host, FieldRange{});
  v.Field("pid", e.pid, kOptionalCount);
  v.Field("device", e.device, FieldRange{});
  v.Field("zero_stage", e.zero_stage,
          FieldRange{.min = 0, .max = 3, .required = true});
  v.Field("accumulation", e.accumulation, kOptionalCount);
  v.Field("parameters", e.parameters, kOptionalCount);
  v.Field("threads", e.threads, FieldRange{.min = 0, .max = 1 << 20});
  v.Field("init_ms", e.init_ms, kMs);
}

template <typename Visitor>
void VisitFields(Visitor& v, StepEvent& e) {
  v.Field("rank", e.rank, kRank);
  v.Field("step", e.step, kCount);
  v.Field("loss", e.loss, kAnyNumber);
  v.Field("grad_norm", e.grad_norm, kAnyNumber);
  v.Field("lr", e.lr, FieldRange{});
  v.Field("tokens", e.tokens, kCount);
  v.Field("step_ms", e.step_ms,
          FieldRange{.min = 0, .max = 1e15, .required = true});
  v.Field("data_ms", e.data_ms, kMs);
  v.Field("forward_ms", e.forward_ms, kMs);
  v.Field("backward_ms", e.backward_ms, kMs);
  v.Field("optimizer_ms", e.optimizer_ms, kMs);
  v.Field("comm_exposed_ms", e.comm_exposed_ms, kMs);
}

template <typename Visitor>
void VisitFields(Visitor& v, CommUse& c) {
  v.Field("op", c.op, FieldRange{.required = true});
  v.Field("calls", c.calls, kCount);
  v.Field("bytes", c.bytes, kCount);
  v.Field("ms", c.ms, kMs);
}

template <typename Visitor>
void VisitFields(Visitor& v, MemoryBytes& m) {
  v.Field("parameters", m.parameters, kOptionalCount);
  v.Field("gradients", m.gradients, kOptionalCount);
  v.Field("optimizer", m.optimizer, kOptionalCount);
  v.Field("activations", m.activations, kOptionalCount);
  v.Field("logits", m.logits, kOptionalCount);
  v.Field("workspace", m.workspace, kOptionalCount);
  v.Field("communication", m.communication, kOptionalCount);
  v.Field("total", m.total, kCount);
}

template <typename Visitor>
void VisitFields(Visitor& v, MemoryEvent& e) {
  v.Field("rank", e.rank, kRank);
  v.Struct("mem_peak_bytes", e.mem_peak_bytes);
}

template <typename Visitor>
void VisitFields(Visitor& v, CheckpointEvent& e) {
  v.Field("rank", e.rank, kRank);
  v.Field("action", e.action,
          FieldRange{.one_of = {"saved", "loaded"}, .required = true});
  v.Field("dir", e.dir, FieldRange{});
  v.Field("step", e.step, kCount);
  v.Field("bytes", e.bytes, kOptionalCount);
  v.Field("ms", e.ms, kMs);
}

template <typename Visitor>
void VisitFields(Visitor& v, CollectiveEvent& e) {
  v.Field("rank", e.rank, kRank);
  v.Field("number", e.number, kCount);
  v.Field("op", e.op, FieldRange{.required = true});
  v.Field("in_place", e.in_place, FieldRange{});
  v.Field("size_bytes", e.size_bytes, kCount);
  v.Field("calls", e.calls, kCount);
  v.Field("time_us", e.time_us,
          FieldRange{.min = 0, .max = 1e15, .required = true});
  v.Field("algbw_gb_s", e.algbw_gb_s, FieldRange{.min = 0, .max = 1e15});
  v.Field("busbw_gb_s", e.busbw_gb_s, FieldRange{.min = 0, .max = 1e15});
  v.Field("wrong", e.wrong, FieldRange{.min = -1, .max = kMaxExactInteger});
}

template <typename Visitor>
void VisitFields(Visitor& v, EndEvent& e) {
  v.Field("rank", e.rank, kRank);
  v.Field("steps", e.steps, kCount);
  v.Field("final_loss", e.final_loss, kAnyNumber);
  v.Field("parameters_sha256", e.parameters_sha256, FieldRange{});
}

template <typename Visitor>
void VisitFields(Visitor& v, ErrorEvent& e) {
  v.Field("rank", e.rank, kRank);
  v.Field("code", e.code, FieldRange{.required = true});
  v.Field("message", e.message, FieldRange{});
}

template <typename Visitor>
void VisitFields(Visitor& v, PositionEvent& e) {
  v.Field("rank", e.rank, kRank);
  v.Field("op", e.op, FieldRange{.required = true});
  v.Field("seq", e.seq, kCount);
  v.Field("issued", e.issued, kCount);
  v.Field("bytes", e.bytes, kOptionalCount);
  v.Field("waiting", e.waiting, FieldRange{});
  v.Field("elapsed_ms", e.elapsed_ms, kMs);
}

namespace {

std::string_view NameOf(const Event& event) {
  constexpr std::string_view kNames[] = {"start",      "step",       "memory",
                                         "checkpoint", "collective", "end",
                                         "error",      "position"};
  return kNames[event.index()];
}

// What the visitors do not cover: lists and maps.
template <typename T>
void WriteRest(const T&, Json&) {}

void WriteRest(const StartEvent& e, Json& json) {
  json["versions"] = e.versions;
}

void WriteRest(const StepEvent& e, Json& json) {
  Json list = Json::array();
  for (CommUse use : e.comm) {
    FieldWriter writer;
    VisitFields(writer, use);
    list.push_back(writer.Take());
  }
  json["comm"] = std::move(list);
}

template <typename T>
void ReadRest(const Json&, T&, std::vector<std::string>&) {}

void ReadRest(const Json& json, StartEvent& e, std::vector<std::string>&) {
  const auto it = json.find("versions");
  if (it == json.end() || !it->is_object()) {
    return;
  }
  for (const auto& [name, value] : it->items()) {
    if (value.is_string()) {
      e.versions[name] = value.get<std::string>();
    }
  }
}

void ReadRest(const Json& json, StepEvent& e,
              std::vector<std::string>& faults) {
  const auto it = json.find("comm");
  if (it == json.end() || !it->is_array()) {
    return;
  }
  for (size_t i = 0; i < it->size(); ++i) {
    FieldReader reader((*it)[i], "comm[" + std::to_string(i) + "]", faults);
    VisitFields(reader, e.comm.emplace_back());
  }
}

// Reads a T; fields it does not know are let pass, so that a newer engine can
// say more.
template <typename T>
Result<Event> ReadEvent(const Json& json) {
  std::vector<std::string> faults;
  T event;
  FieldReader reader(json, "", faults);
  VisitFields(reader, event);
  ReadRest(json, event, faults);
  if (!faults.empty()) {
    return InvalidArgumentError("damaged event: " + faults.front());
  }
  return Event(std::move(event));
}

struct Kind {
  std::string_view name;
  Result<Event> (*read)(const Json&);
};

constexpr Kind kKinds[] = {
    {"start", ReadEvent<StartEvent>},
    {"step", ReadEvent<StepEvent>},
    {"memory", ReadEvent<MemoryEvent>},
    {"checkpoint", ReadEvent<CheckpointEvent>},
    {"collective", ReadEvent<CollectiveEvent>},
    {"end", ReadEvent<EndEvent>},
    {"error", ReadEvent<ErrorEvent>},
    {"position", ReadEvent<PositionEvent>},
};

}  // namespace

std::string EventLine(const Event& event) {
  Json json = std::visit(
      [](auto copy) {
        FieldWriter writer;
        VisitFields(writer, copy);
        Json object = writer.Take();
        WriteRest(copy, object);
        return object;
      },
      event);
  json["event"] = NameOf(event);
  return DumpJson(json);
}

Result<Event> ParseEventLine(std::string_view line) {
  if (line.size() > kMaxLineBytes) {
    return InvalidArgumentError("line of " + std::to_string(line.size()) +
                                " bytes; events have at most 1 MiB");
  }
  if (line.empty() || line.front() != '{' ||
      line.find("\"event\"") == std::string_view::npos) {
    return NotFoundError("not an event");
  }
  ASSIGN_OR_RETURN(const Json json, ParseJson(line));
  const auto it = json.find("event");
  if (it == json.end() || !it->is_string()) {
    return NotFoundError("not an event");
  }
  const auto& name = it->get_ref<const std::string&>();
  for (const Kind& kind : kKinds) {
    if (name == kind.name) {
      return kind.read(json);
    }
  }
  return NotFoundError("event \"" + name + "\" is not known here");
}

}  // namespace zs
