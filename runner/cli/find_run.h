// The record and the run that a person means.
#ifndef RUNNER_CLI_FIND_RUN_H_
#define RUNNER_CLI_FIND_RUN_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "results/store/reader.h"

namespace zs {

// The database at PATH (--db; empty: where it lies by default), to be read.
// kNotFound says what to run first.
Result<std::unique_ptr<results::Reader>> OpenRecord(const std::string& path);

// TEXT is a run's number, the name of an experiment (a pattern): its newest
// run, or "last": the newest of all. kNotFound says where to look.
Result<int64_t> FindRun(const results::Reader& reader, const std::string& text);

}  // namespace zs

#endif  // RUNNER_CLI_FIND_RUN_H_
