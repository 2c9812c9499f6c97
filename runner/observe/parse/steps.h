// Step lines of the other trainers: DeepSpeed, torchtitan, llm.c, our engine.
#ifndef RUNNER_OBSERVE_PARSE_STEPS_H_
#define RUNNER_OBSERVE_PARSE_STEPS_H_

#include <cstddef>

#include "runner/observe/parse/observation.h"

namespace zs {

// The parsers' contract stands in megatron.h.

// "[Rank 0] step=40, skipped=2, lr=[5e-05], ..."
size_t ParseDeepSpeedStep(const LogLine& line, size_t at,
                          ObservationSink& sink);
// "0/40, SamplesPerSec=83.4, MemAllocated=0.26GB, MaxMemAllocated=9.02GB",
// "epoch=0/micro_step=3/global_step=3, RunningAvgSamplesPerSec=..."
size_t ParseDeepSpeedRate(const LogLine& line, size_t at,
                          ObservationSink& sink);
// "step: 10  loss: 3.1  grad_norm: 1.2  memory: 1.2GiB(3%)  tps: 1,234 ..."
size_t ParseTorchtitanStep(const LogLine& line, size_t at,
                           ObservationSink& sink);
// "step    1/25 | loss 10.9 (+nanz)| norm 1.4 (+nanz)| lr 1e-04 | 393.0 ms |"
size_t ParseLlmCStep(const LogLine& line, size_t at, ObservationSink& sink);
// "| zero_stage            | 1  |" of llm.c's table
size_t ParseLlmCTable(const LogLine& line, size_t at, ObservationSink& sink);
// "device memory usage: 15472 MiB / 143155 MiB"
size_t ParseDeviceMemory(const LogLine& line, size_t at, ObservationSink& sink);
// {"event":"step",...} of engine/api/event.h
size_t ParseEngineEvent(const LogLine& line, size_t at, ObservationSink& sink);

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_STEPS_H_
