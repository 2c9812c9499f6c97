#include "runner/observe/parse/megatron.h"

#include <string_view>

#include "base/strings.h"
#include "runner/observe/text/cursor.h"

namespace zs {
namespace {

constexpr size_t kNone = std::string_view::npos;

template <typename T>
void Number(std::string_view value, T& target) {
  Cursor(value).TakeNumber(target);
}

// One "key: value" of an iteration line.
void TakeField(std::string_view key, std::string_view value, TrainStep& step) {
  if (key == "consumed samples") {
    Number(value, step.consumed_samples);
  } else if (key == "consumed tokens") {
    Number(value, step.consumed_tokens);
  } else if (key == "elapsed time per iteration (ms)") {
    Number(value, step.step_ms);
  } else if (key == "elapsed time per iteration (s)") {
    Number(value, step.step_ms);
    step.step_ms *= 1000;
  } else if (key == "throughput per GPU (TFLOP/s/GPU)" || key == "TFLOPs" ||
             key == "compute per GPU (TFLOP/s/GPU)") {
    Number(value, step.tflops);
  } else if (key == "learning rate") {
    Number(value, step.learning_rate);
  } else if (key == "global batch size") {
    Number(value, step.global_batch);
  } else if (key == "lm loss" || key == "loss") {
    Number(value, step.loss);
  } else if (key == "grad norm") {
    Number(value, step.grad_norm);
  } else if (key == "number of skipped iterations") {
    Number(value, step.skipped);
  } else if (key == "number of nan iterations") {
    Number(value, step.nan_iterations);
  } else if (key == "samples per second") {
    Number(value, step.samples_per_s);
  } else if (key == "tokens per gpu per second (tgs)" ||
             key == "Tokens per second per GPU (Tok/s/GPU)" ||
             key == "tokens per GPU (tokens/s/GPU)" ||
             key == "tokens/s/GPU inst/harmonic mean") {
    Number(value, step.printed_tokens_per_s_per_gpu);
  }
}

int Flag(std::string_view config, std::string_view name) {
  const size_t at = config.find(name);
  if (at == kNone) {
    return -1;
  }
  return config.substr(at + name.size(), 4) == "True" ? 1 : 0;
}

std::string_view Quoted(std::string_view config, std::string_view name) {
  Cursor cursor(config);
  if (!cursor.TakeThrough(name) || !cursor.Take("'")) {
    return {};
  }
  return cursor.Until("'");
}

int StageOfStrategy(std::string_view strategy) {
  if (strategy == "no_shard") {
    return 0;
  }
  if (strategy == "optim") {
    return 1;
  }
  if (strategy == "optim_grads") {
    return 2;
  }
  return strategy == "optim_grads_params" ? 3 : -1;
}

// The number behind WORD in TEXT; FALLBACK where there is none.
int IntBehind(std::string_view text, std::string_view word, int fallback) {
  Cursor cursor(text);
  int value = fallback;
  if (cursor.TakeThrough(word)) {
    cursor.TakeNumber(value);
  }
  return value;
}

// Whether an iteration line ends as those without trouble do.
bool IsClean(std::string_view text) {
  constexpr std::string_view kEnd =
      "number of skipped iterations:   0 | number of nan iterations:   0 |";
  return text.size() > kEnd.size() &&
         text.substr(text.size() - kEnd.size()) == kEnd;
}

}  // namespace

size_t ParseIterationLine(const LogLine& line, size_t at,
                          ObservationSink& sink) {
  Cursor cursor(line.text.substr(at));
  TrainStep step;
  if (!cursor.Take("iteration") || !cursor.TakeNumber(step.iteration) ||
      !cursor.Take("/") || !cursor.TakeNumber(step.total)) {
    return at;
  }
  cursor.SkipBlanks();
  if (!cursor.Take("|")) {
    return at;
  }
  if (IsClean(line.text) && !sink.WantsStep(line, step.iteration)) {
    step.skipped = step.nan_iterations = 0;
    step.unread_at = at;
    sink.Take(line, step);
    return line.text.size();
  }
  for (;;) {
    const std::string_view rest = cursor.rest();
    const size_t end = rest.find('|');
    const std::string_view piece = rest.substr(0, end);
    const size_t colon = piece.find(": ");
    if (colon == kNone || end == kNone) {
      break;
    }
    TakeField(Trimmed(piece.substr(0, colon)), piece.substr(colon + 1), step);
    cursor.Skip(end + 1);
  }
  sink.Take(line, step);
  return line.text.size() - cursor.rest().size();
}

size_t ParseMemoryLine(const LogLine& line, size_t at, ObservationSink& sink) {
  MemoryUse use;
  const std::string_view before = line.text.substr(0, at);
  if (const size_t rank = before.rfind("[Rank "); rank != kNone) {
    Cursor(before.substr(rank + 6)).TakeNumber(use.rank);
  }
  if (const size_t after = before.rfind("(after "); after != kNone) {
    Cursor(before.substr(after + 7)).TakeNumber(use.iteration);
  }
  const std::string_view text = line.text.substr(at);
  const auto take = [text](std::string_view word, double& target) {
    Cursor cursor(text);
    if (cursor.TakeThrough(word)) {
      cursor.TakeNumber(target);
    }
  };
  take("| allocated:", use.allocated_mib);
  take("| max allocated:", use.max_allocated_mib);
  take("| reserved:", use.reserved_mib);
  take("| max reserved:", use.max_reserved_mib);
  take("total device memory used:", use.device_mib);
  sink.Take(line, use);
  return at + std::string_view(") memory (MB)").size();
}

size_t ParseDottedLine(const LogLine& line, size_t at, ObservationSink& sink) {
  const std::string_view before = Trimmed(line.text.substr(0, at));
  const std::string_view name =
      before.substr(before.find_last_of(" \t]") + 1);  // npos + 1 is 0
  Cursor cursor(line.text.substr(at));
  while (cursor.Take(".")) {
  }
  if (name.empty() || before.empty()) {
    return at;
  }
  if (!cursor.Take(":")) {
    const std::string_view value = Trimmed(cursor.rest());
    sink.Take(line, ArgumentLine{name, value});
    return line.text.size();
  }
  TimerLine timer{name, kNoNumber, kNoNumber};
  cursor.SkipBlanks();
  const bool pair = cursor.Take("(");
  cursor.TakeNumber(timer.min_ms);
  timer.max_ms = timer.min_ms;
  if (pair && cursor.Take(",")) {
    cursor.TakeNumber(timer.max_ms);
  }
  sink.Take(line, timer);
  return line.text.size();
}

size_t ParseWorldLine(const LogLine& line, size_t at, ObservationSink& sink) {
  const std::string_view text = line.text.substr(at);
  WorldLine world;
  world.world = IntBehind(text, "world size:", -1);
  world.data_parallel = IntBehind(text, "data-parallel size:", -1);
  world.tensor_parallel = IntBehind(text, "tensor-model-parallel size:", -1);
  world.pipeline_parallel =
      IntBehind(text, "pipeline-model-parallel size:", -1);
  sink.Take(line, world);
  return line.text.size();
}

size_t ParseParallelConfig(const LogLine& line, size_t at,
                           ObservationSink& sink) {
  const std::string_view before = line.text.substr(0, at);
  const std::string_view config = line.text.substr(at);
  ParallelConfig parallel;
  parallel.strategy = Quoted(config, "data_parallel_sharding_strategy=");
  parallel.overlap_grad_reduce = Flag(config, "overlap_grad_reduce=");
  parallel.overlap_param_gather = Flag(config, "overlap_param_gather=");
  const bool torch = before.find("Torch") != kNone ||
                     before.find("torch_fully_sharded") != kNone;
  const bool fsdp = before.find("fsdp") != kNone ||
                    before.find("fully_sharded") != kNone ||
                    Flag(config, "use_megatron_fsdp=") == 1 ||
                    Flag(config, "use_custom_fsdp=") == 1;
  if (torch) {
    parallel.wrapper = "torch_fsdp2";
    parallel.zero_stage = 3;
  } else if (fsdp) {
    parallel.wrapper = "megatron_fsdp";
    parallel.zero_stage = StageOfStrategy(parallel.strategy);
  } else {
    parallel.wrapper = "ddp";
    parallel.zero_stage = Flag(config, "use_distributed_optimizer=");
  }
  sink.Take(line, parallel);
  return line.text.size();
}

size_t ParseCheckpointLine(const LogLine& line, size_t at,
                           ObservationSink& sink) {
  const std::string_view text = line.text.substr(at);
  CheckpointLine checkpoint;
  Cursor cursor(text);
  if (cursor.Take("saving checkpoint") || cursor.Take("scheduled an async")) {
    checkpoint.action = CheckpointAction::kSaving;
  } else if (cursor.Take("successfully saved checkpoint")) {
    checkpoint.action = CheckpointAction::kSaved;
  } else if (cursor.Take("successfully loaded checkpoint")) {
    checkpoint.action = CheckpointAction::kLoaded;
  } else {
    checkpoint.action = CheckpointAction::kLoading;
  }
  checkpoint.iteration = IntBehind(text, "iteration", -1);
  Cursor folder(text);
  if (folder.TakeThrough(" to ") || folder.TakeThrough("checkpoint from ")) {
    if (!folder.Take("iteration")) {
      checkpoint.folder = folder.TakeWord();
    }
  }
  sink.Take(line, checkpoint);
  return line.text.size();
}

size_t ParseValidationLine(const LogLine& line, size_t at,
                           ObservationSink& sink) {
  ValidationLine validation;
  const std::string_view text = line.text.substr(at);
  validation.iteration = IntBehind(text, "iteration", -1);
  Cursor cursor(text);
  if (cursor.TakeThrough("loss value:")) {
    cursor.TakeNumber(validation.loss);
  }
  sink.Take(line, validation);
  return line.text.size();
}

size_t ParseEndLine(const LogLine& line, size_t at, ObservationSink& sink) {
  const std::string_view text = line.text.substr(at);
  EndLine end;
  if (text.find("receiving SIG") != kNone) {
    end.reason = EndReason::kSignal;
  } else if (text.find("exiting program") != kNone) {
    end.reason = EndReason::kExiting;
    end.iteration = IntBehind(text, "at iteration", -1);
  }
  sink.Take(line, end);
  return line.text.size();
}

}  // namespace zs
