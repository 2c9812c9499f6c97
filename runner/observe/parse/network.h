// Tables of other tools that people paste beside a log.
#ifndef RUNNER_OBSERVE_PARSE_NETWORK_H_
#define RUNNER_OBSERVE_PARSE_NETWORK_H_

#include <cstddef>

#include "runner/observe/parse/observation.h"

namespace zs {

// A row of `ss -t`: "ESTAB  0  0   10.0.3.12:59970   10.0.5.15:55573". The
// parsers' contract stands in megatron.h.
size_t ParseConnection(const LogLine& line, size_t at, ObservationSink& sink);

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_NETWORK_H_
