// NCCL's own lines (INFO and WARN, 2.4 to 2.30) and PyTorch's quotes of them.
#ifndef RUNNER_OBSERVE_PARSE_NCCL_H_
#define RUNNER_OBSERVE_PARSE_NCCL_H_

#include <cstddef>
#include <string_view>

#include "runner/observe/parse/observation.h"

namespace zs {

// The parsers' contract stands in megatron.h.

// "[time] host:pid:tid [dev] [file:line] NCCL INFO|WARN message". Returns the
// end of the line for messages that hold nothing else, and the start of the
// message where the catalogue may know more.
size_t ParseNcclLine(const LogLine& line, size_t at, ObservationSink& sink);

// The start of MESSAGE, the text behind "NCCL INFO " of anything but a channel,
// where only the number of those that start so matters. Empty: it has to be
// read.
std::string_view CountedIn(std::string_view message);

// "NCCL version 2.20.5+cuda12.4" without a speaker (rank 0 up to 2.21).
size_t ParseBareNcclVersion(const LogLine& line, size_t at,
                            ObservationSink& sink);

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_NCCL_H_
