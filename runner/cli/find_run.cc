#include "runner/cli/find_run.h"

#include <charconv>

#include "runner/cli/output.h"

namespace zs {

Result<std::unique_ptr<results::Reader>> OpenRecord(const std::string& path) {
  auto reader = results::Reader::Open(DatabasePath(path));
  if (!reader.ok() && reader.status().code() == StatusCode::kNotFound) {
    return NotFoundError(reader.status().message() +
                         ". Run an experiment first: runner "
                         "experiments/sweep.jsonnet");
  }
  return reader;
}

Result<int64_t> FindRun(const results::Reader& reader,
                        const std::string& text) {
  int64_t id = 0;
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, id);
  if (number.ec == std::errc() && number.ptr == end) {
    ASSIGN_OR_RETURN(const results::RunRow run, reader.Run(id));
    return run.id;
  }
  ASSIGN_OR_RETURN(std::vector<results::RunRow> runs,
                   reader.Runs({.experiment = text, .limit = 1}));
  if (runs.empty() && text == "last") {
    ASSIGN_OR_RETURN(runs, reader.Runs({.limit = 1}));
  }
  if (runs.empty()) {
    return NotFoundError("no run of '" + text +
                         "' is on record; see `runner list`");
  }
  return runs.front().id;
}

}  // namespace zs
