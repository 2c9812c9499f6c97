// nccl-tests' output (tables of every version, and JSON) and other statements
// of a bus bandwidth.
#ifndef RUNNER_OBSERVE_PARSE_BANDWIDTH_H_
#define RUNNER_OBSERVE_PARSE_BANDWIDTH_H_

#include <cstddef>

#include "runner/observe/parse/observation.h"

namespace zs {

// The parsers' contract stands in megatron.h.

// A row of 12 columns (up to 2.10: no root) or 13 and more. AT is in the
// column of the type.
size_t ParseBandwidthRow(const LogLine& line, size_t at, ObservationSink& sink);
// "#  Rank  0 Group  0 Pid 1 on host device 0 [0000:59:00] NVIDIA H200"
size_t ParseTestsDevice(const LogLine& line, size_t at, ObservationSink& sink);
// "all_reduce_perf" in a header, a command or a prompt
size_t ParseTestsName(const LogLine& line, size_t at, ObservationSink& sink);
// "all_reduce 1073741824 bytes 39019 us busbw 27.52 GB/s"
size_t ParseBandwidthSentence(const LogLine& line, size_t at,
                              ObservationSink& sink);
// "out_of_place":{"time":..,"alg_bw":..,"bus_bw":..,"nwrong":..} of -J
size_t ParseBandwidthJson(const LogLine& line, size_t at,
                          ObservationSink& sink);
// "hostname":"node0",...,"device_info":"NVIDIA H200" of -J
size_t ParseDeviceJson(const LogLine& line, size_t at, ObservationSink& sink);

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_BANDWIDTH_H_
