// Megatron-LM's lines, version 0.4 to main, and those of its forks and of
// programs that imitate them: one parser for all, by key and not by order.
#ifndef RUNNER_OBSERVE_PARSE_MEGATRON_H_
#define RUNNER_OBSERVE_PARSE_MEGATRON_H_

#include <cstddef>

#include "runner/observe/parse/observation.h"

namespace zs {

// Each parser looks at LINE where one of its words starts (AT), delivers what
// it understands to SINK and returns where the search may go on: behind what
// it has read, or AT itself where it understood nothing.

// "iteration N/ M | key: value | ..."; keys may come in any order and number.
size_t ParseIterationLine(const LogLine& line, size_t at,
                          ObservationSink& sink);
// "[Rank r] (after i iterations) memory (MB) | allocated: ..."
size_t ParseMemoryLine(const LogLine& line, size_t at, ObservationSink& sink);
// "  name ....... value" and "    name .......: (min, max)"
size_t ParseDottedLine(const LogLine& line, size_t at, ObservationSink& sink);
// "using world size: 32, data-parallel size: 32, ..."
size_t ParseWorldLine(const LogLine& line, size_t at, ObservationSink& sink);
// "...Setting up X with config DistributedDataParallelConfig(...)"
size_t ParseParallelConfig(const LogLine& line, size_t at,
                           ObservationSink& sink);
// "saving checkpoint at iteration N to DIR", "successfully saved ...", loads
size_t ParseCheckpointLine(const LogLine& line, size_t at,
                           ObservationSink& sink);
// "validation loss at iteration N | lm loss value: ..."
size_t ParseValidationLine(const LogLine& line, size_t at,
                           ObservationSink& sink);
// "[after training is done]", "[exiting program ..."
size_t ParseEndLine(const LogLine& line, size_t at, ObservationSink& sink);

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_MEGATRON_H_
