// The run that a person means.
#ifndef RUNNER_CLI_FIND_RUN_H_
#define RUNNER_CLI_FIND_RUN_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "results/store/reader.h"

namespace zs {

// TEXT is a run's number, the name of an experiment (a pattern): its newest
// run, or "last": the newest of all. kNotFound says where to look.
Result<int64_t> FindRun(const results::Reader& reader, const std::string& text);

}  // namespace zs

#endif  // RUNNER_CLI_FIND_RUN_H_
