#include "runner/observe/parse/steps.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "base/strings.h"
#include "engine/api/event.h"
#include "runner/observe/text/cursor.h"
#include "runner/observe/text/prefix.h"

namespace zs {
namespace {

constexpr size_t kNone = std::string_view::npos;

// The number behind WORD; false where there is none.
template <typename T>
bool Behind(std::string_view text, std::string_view word, T& target) {
  Cursor cursor(text);
  return cursor.TakeThrough(word) && cursor.TakeNumber(target);
}

// "1,234" or "1234.5" behind WORD.
void GroupedBehind(std::string_view text, std::string_view word,
                   double& target) {
  Cursor cursor(text);
  if (!cursor.TakeThrough(word)) {
    return;
  }
  std::string digits(cursor.TakeWord());
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  Cursor(digits).TakeNumber(target);
}

// Delivers what an engine's event says.
class EventTaker {
 public:
  EventTaker(const LogLine& line, ObservationSink& sink)
      : line_(line), sink_(sink) {}

  void operator()(const StartEvent& event) {
    WorldLine world;
    world.world = world.data_parallel = event.world_size;
    sink_.Take(line_, world);
    ParallelConfig parallel;
    parallel.wrapper = "engine";
    parallel.zero_stage = event.zero_stage;
    sink_.Take(line_, parallel);
  }

  void operator()(const StepEvent& event) {
    TrainStep step;
    step.trainer = Trainer::kEngine;
    step.iteration = event.step;
    step.step_ms = event.step_ms;
    step.loss = event.loss;
    step.grad_norm = event.grad_norm;
    step.learning_rate = event.lr;
    step.tokens = event.tokens;
    sink_.Take(line_, step);
  }

  void operator()(const MemoryEvent& event) {
    MemoryUse use;
    use.rank = event.rank;
    constexpr double kMib = 1024.0 * 1024.0;
    use.max_allocated_mib =
        static_cast<double>(event.mem_peak_bytes.total) / kMib;
    sink_.Take(line_, use);
  }

  void operator()(const CheckpointEvent& event) {
    CheckpointLine checkpoint;
    checkpoint.action = event.action == "loaded" ? CheckpointAction::kLoaded
                                                 : CheckpointAction::kSaved;
    checkpoint.iteration = event.step;
    checkpoint.folder = event.dir;
    sink_.Take(line_, checkpoint);
  }

  void operator()(const CollectiveEvent& event) {
    BandwidthRow row;
    row.operation = event.op;
    row.bytes = event.size_bytes;
    row.time_us = event.time_us;
    row.algbw_gb_s = event.algbw_gb_s;
    row.busbw_gb_s = event.busbw_gb_s;
    row.in_place_busbw_gb_s = event.in_place ? event.busbw_gb_s : kNoNumber;
    row.wrong = event.wrong;
    sink_.Take(line_, row);
  }

  void operator()(const EndEvent& event) {
    sink_.Take(line_, EndLine{EndReason::kDone, event.steps});
  }

  void operator()(const PositionEvent&) {}  // the supervisor's business

  void operator()(const ErrorEvent& event) {
    PythonError error;
    error.type = event.code;
    error.message = event.message;
    error.rank = event.rank;
    error.first_line = line_.number;
    sink_.Take(line_, error);
  }

 private:
  const LogLine& line_;
  ObservationSink& sink_;
};

}  // namespace

size_t ParseDeepSpeedStep(const LogLine& line, size_t at,
                          ObservationSink& sink) {
  const std::string_view before = line.text.substr(0, at);
  const size_t word = before.rfind("step=");
  TrainStep step;
  step.trainer = Trainer::kDeepSpeed;
  if (word == kNone ||
      !Cursor(before.substr(word + 5)).TakeInt(step.iteration)) {
    return at;
  }
  Behind(line.text, "lr=[", step.learning_rate);
  step.time_s = TimeIn(line.text).value_or(kNoNumber);
  sink.Take(line, step);
  return line.text.size();
}

size_t ParseDeepSpeedRate(const LogLine& line, size_t at,
                          ObservationSink& sink) {
  TrainStep step;
  step.trainer = Trainer::kDeepSpeed;
  const std::string_view before = line.text.substr(0, at);
  if (!Behind(before, "global_step=", step.iteration)) {
    const size_t slash = before.rfind('/');
    if (slash == kNone ||
        !Cursor(before.substr(slash + 1)).TakeInt(step.iteration)) {
      return at;
    }
  }
  if (!Behind(line.text, "CurrSamplesPerSec=", step.samples_per_s)) {
    Behind(line.text, "SamplesPerSec=", step.samples_per_s);
  }
  double gigabytes = kNoNumber;  // "GB" is 2^30 bytes there
  if (Behind(line.text, "MaxMemAllocated=", gigabytes)) {
    step.memory_gib = gigabytes;
  }
  step.time_s = TimeIn(line.text).value_or(kNoNumber);
  sink.Take(line, step);
  return line.text.size();
}

size_t ParseTorchtitanStep(const LogLine& line, size_t at,
                           ObservationSink& sink) {
  TrainStep step;
  step.trainer = Trainer::kTorchtitan;
  const std::string_view text = line.text;
  if (!Behind(text, "step: ", step.iteration) || text.find("tps: ") == kNone) {
    return at;
  }
  Behind(text, "loss: ", step.loss);
  Behind(text, "grad_norm: ", step.grad_norm);
  Behind(text, "memory: ", step.memory_gib);
  GroupedBehind(text, "tps: ", step.printed_tokens_per_s_per_gpu);
  Behind(text, "tflops: ", step.tflops);
  step.time_s = TimeIn(text).value_or(kNoNumber);
  sink.Take(line, step);
  return text.size();
}

size_t ParseLlmCStep(const LogLine& line, size_t at, ObservationSink& sink) {
  const std::string_view before = line.text.substr(0, at);
  const size_t word = before.rfind("step ");
  TrainStep step;
  step.trainer = Trainer::kLlmC;
  if (word == kNone) {
    return at;
  }
  Cursor head(before.substr(word + 5));
  if (!head.TakeNumber(step.iteration) || !head.Take("/") ||
      !head.TakeNumber(step.total)) {
    return at;
  }
  const std::string_view text = line.text.substr(at);
  Behind(text, "loss ", step.loss);
  Behind(text, "norm ", step.grad_norm);
  Behind(text, "lr ", step.learning_rate);
  if (const size_t ms = text.find(" ms |"); ms != kNone) {
    const size_t start = text.rfind(' ', ms - 1);
    Cursor(text.substr(start == kNone ? 0 : start)).TakeNumber(step.step_ms);
  }
  if (const size_t rate = text.find(" tok/s"); rate != kNone) {
    const size_t start = text.rfind(' ', rate - 1);
    Cursor(text.substr(start == kNone ? 0 : start))
        .TakeNumber(step.printed_tokens_per_s);
  }
  sink.Take(line, step);
  return line.text.size();
}

size_t ParseLlmCTable(const LogLine& line, size_t at, ObservationSink& sink) {
  Cursor cursor(line.text.substr(at));
  cursor.Take("| ");
  const std::string_view name = Trimmed(cursor.Until("|"));
  if (!cursor.Take("|")) {
    return at;
  }
  const std::string_view value = Trimmed(cursor.Until("|"));
  int number = -1;
  Cursor(value).TakeInt(number);
  if (name == "zero_stage") {
    ParallelConfig parallel;
    parallel.wrapper = "llm.c";
    parallel.zero_stage = number;
    sink.Take(line, parallel);
  } else if (name == "num_processes") {
    WorldLine world;
    world.world = world.data_parallel = number;
    sink.Take(line, world);
  } else {
    sink.Take(line, ArgumentLine{name, value});
  }
  return line.text.size();
}

size_t ParseDeviceMemory(const LogLine& line, size_t at,
                         ObservationSink& sink) {
  DeviceMemory memory;
  if (!Behind(line.text.substr(at), "usage:", memory.used_mib)) {
    return at;
  }
  sink.Take(line, memory);
  return line.text.size();
}

size_t ParseEngineEvent(const LogLine& line, size_t at, ObservationSink& sink) {
  const size_t start = line.text.find('{');
  if (start == kNone) {
    return at;
  }
  const Result<Event> event = ParseEventLine(line.text.substr(start));
  if (!event.ok()) {
    return at;
  }
  std::visit(EventTaker(line, sink), *event);
  return line.text.size();
}

}  // namespace zs
