// What the evaluating child process is asked, and what it answers: JSON over
// its standard output.
#ifndef RUNNER_PLAN_EVAL_REQUEST_H_
#define RUNNER_PLAN_EVAL_REQUEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace zs {

// What an evaluation may use at most; beyond it the child is ended.
struct EvalLimits {
  int64_t memory_bytes = int64_t{8} << 30;  // address space
  int cpu_s = 120;
  double wall_s = 180;
  int64_t stack_bytes = int64_t{64} << 20;
  int max_frames = 500;  // Jsonnet's own -s, its default
  int64_t output_bytes = int64_t{1} << 30;
};

using NameValues = std::vector<std::pair<std::string, std::string>>;

struct EvalRequest {
  std::string file;                 // the experiment file
  std::vector<std::string> jpaths;  // -J, in the order given: the last first
  std::string library_dir;          // the shipped experiments/; may be empty
  NameValues ext_strs;              // -V, --ext-str
  NameValues ext_codes;             // --ext-code
  NameValues tla_strs;              // -A, --tla-str
  NameValues tla_codes;             // --tla-code
  std::string machine;              // JSON offered as the argument `machine`
                                    // to a function that has it; empty: none
  NameValues overlay;               // path as in Evaluated::files -> the text
                                    // to use instead of the file's
  EvalLimits limits;
};

// An imported file and what was in it.
struct ImportedFile {
  std::string path;
  std::string sha256;
};

// EvalHeader::error where an allocation failed.
inline constexpr std::string_view kOutOfMemoryError = "out of memory";

// The first line of the answer. The document's text follows on the next line
// where `error` is empty.
struct EvalHeader {
  std::string error;
  std::vector<ImportedFile> files;  // the experiment file first
};

std::string ToLine(const EvalHeader& header);
Result<EvalHeader> EvalHeaderFromLine(std::string_view line);

}  // namespace zs

#endif  // RUNNER_PLAN_EVAL_REQUEST_H_
