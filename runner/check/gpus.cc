#include "runner/check/gpus.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include "base/strings.h"
#include "runner/check/judge.h"
#include "runner/check/round.h"

namespace zs {
namespace {

constexpr char kScript[] =
    "nvidia-smi --query-gpu=index,name,memory.total,memory.used,"
    "ecc.errors.uncorrected.volatile.total,remapped_rows.pending,"
    "remapped_rows.failure --format=csv,noheader,nounits && echo apps && "
    "nvidia-smi --query-compute-apps=pid,process_name,used_memory "
    "--format=csv,noheader,nounits";

// A driver keeps some hundred MiB on an idle GPU, a forgotten process more.
constexpr int64_t kIdleMib = 1024;

struct GpuLine {
  std::string index;
  std::string name;
  std::string total_mib;
  int64_t used_mib = 0;
  std::string ecc;      // a number, or "[N/A]" where there is no ECC
  std::string pending;  // "Yes", "No", "[N/A]"
  std::string failure;
};

struct GpuAnswer {
  std::vector<GpuLine> gpus;
  std::vector<std::string> processes;
};

std::optional<GpuLine> ParseGpu(std::string_view line) {
  std::vector<std::string> fields = Split(line, ',');
  for (std::string& field : fields) {
    field = std::string(Trimmed(field));
  }
  const auto used = fields.size() == 7 ? NumberOf(fields[3]) : std::nullopt;
  if (!used) {
    return std::nullopt;
  }
  return GpuLine{fields[0], fields[1], fields[2], *used,
                 fields[4], fields[5], fields[6]};
}

// Empty where the script did not end well or printed something else.
std::optional<GpuAnswer> ParseAnswer(const std::string& answer) {
  const std::optional<std::string> printed = PrintedBy(answer);
  if (!printed) {
    return std::nullopt;
  }
  GpuAnswer parsed;
  bool apps = false;
  std::string_view rest = *printed;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line == "apps") {
      apps = true;
    } else if (apps) {
      parsed.processes.emplace_back(line);
    } else if (auto gpu = ParseGpu(line)) {
      parsed.gpus.push_back(*std::move(gpu));
    } else {
      return std::nullopt;
    }
  }
  return apps ? std::optional(std::move(parsed)) : std::nullopt;
}

CheckResult Named(const CheckResult& node, const char* name,
                  const char* limit) {
  CheckResult result = node;
  result.name = name;
  result.limit = limit;
  return result;
}

void JudgeCount(const GpuAnswer& answer, int wanted, CheckResult& result) {
  const std::string name = answer.gpus.empty() ? "" : answer.gpus[0].name;
  result.state = static_cast<int>(answer.gpus.size()) >= wanted
                     ? CheckState::kOk
                     : CheckState::kFailed;
  result.found = std::to_string(answer.gpus.size()) + " GPUs" +
                 (name.empty() ? std::string() : " (the first: " + name + ")");
  result.limit = "at least " + std::to_string(wanted) +
                 ", of one kind on all nodes; is the container started with "
                 "--gpus all?";
  result.subject = "GPU";
  result.value = name;
  for (const GpuLine& gpu : answer.gpus) {
    result.facts["gpu " + gpu.index] = gpu.name + ", " + gpu.total_mib + " MiB";
  }
}

void JudgeIdle(const GpuAnswer& answer, CheckResult& result) {
  std::string busy;
  for (const GpuLine& gpu : answer.gpus) {
    if (gpu.used_mib > kIdleMib) {
      busy += (busy.empty() ? "" : ", ") + std::string("GPU ") + gpu.index +
              ": " + std::to_string(gpu.used_mib) + " MiB in use";
    }
  }
  for (const std::string& process : answer.processes) {
    busy += (busy.empty() ? "" : ", ") + std::string("process ") + process;
  }
  result.state = busy.empty() ? CheckState::kOk : CheckState::kFailed;
  result.found = busy.empty() ? "no process, no memory in use" : busy;
}

// Good are a GPU that has no error, and one that cannot have it. Whatever else
// stands in brackets ("[Unknown Error]", "[GPU requires reset]") or nowhere
// says that nobody knows.
CheckState StateOf(const std::string& field) {
  for (const char* good : {"0", "No", "[N/A]", "N/A", "[Not Supported]"}) {
    if (field == good) {
      return CheckState::kOk;
    }
  }
  return field == "Yes" || NumberOf(field) ? CheckState::kFailed
                                           : CheckState::kUnknown;
}

void JudgeErrors(const GpuAnswer& answer, CheckResult& result) {
  std::string faults;
  result.state = CheckState::kOk;
  for (const GpuLine& gpu : answer.gpus) {
    for (const auto& [field, what] :
         {std::pair(&gpu.ecc, " uncorrected ECC errors: "),
          std::pair(&gpu.pending, " row remapping pending: "),
          std::pair(&gpu.failure, " row remapping failed: ")}) {
      const CheckState state = StateOf(*field);
      if (state != CheckState::kOk) {
        // A fault stands before what is not known.
        result.state =
            result.state == CheckState::kFailed ? result.state : state;
        faults +=
            (faults.empty() ? "GPU " : ", GPU ") + gpu.index + what + *field;
      }
    }
  }
  result.found = faults.empty() ? "none" : faults;
}

}  // namespace

std::string GpuScript() {
  return kScript;
}

std::vector<CheckResult> JudgeGpus(const std::string& answer, int wanted,
                                   const CheckResult& node) {
  std::vector<CheckResult> results = {
      Named(node, "gpus", "what nvidia-smi lists"),
      Named(node, "gpu_idle",
            "no other process computes there, less than 1 "
            "GiB is in use; end what is left over"),
      Named(node, "gpu_errors",
            "no uncorrected error, nothing that waits for "
            "a reset (nvidia-smi -r, or replace the GPU)")};
  const std::optional<GpuAnswer> parsed = ParseAnswer(answer);
  if (!parsed) {
    for (CheckResult& result : results) {
      result.state = CheckState::kUnknown;
      result.found = "nvidia-smi does not tell: " + OneLineOf(answer);
    }
    return results;
  }
  JudgeCount(*parsed, wanted, results[0]);
  JudgeIdle(*parsed, results[1]);
  JudgeErrors(*parsed, results[2]);
  return results;
}

}  // namespace zs
