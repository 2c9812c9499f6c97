// The memory of this host and process.
#ifndef ENGINE_TRAIN_HOST_MEMORY_H_
#define ENGINE_TRAIN_HOST_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace zs {

// What a process can still get: MemAvailable of /proc/meminfo, or less where
// the control group (version 2) has a lower limit. nullopt where neither tells.
std::optional<int64_t> AvailableMemoryBytes();

// MemAvailable in the text of /proc/meminfo.
std::optional<int64_t> MemAvailableBytes(std::string_view meminfo);

// The largest resident set that this process had.
int64_t PeakResidentBytes();

}  // namespace zs

#endif  // ENGINE_TRAIN_HOST_MEMORY_H_
