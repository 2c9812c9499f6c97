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

// What a control group leaves, from the texts of its files memory.max,
// memory.current and memory.stat: the limit less what is used, of which the
// kernel gives back the page cache when it is needed (active_file and
// inactive_file), as MemAvailable has it. nullopt where there is no limit.
std::optional<int64_t> GroupAvailableBytes(std::string_view max,
                                           std::string_view current,
                                           std::string_view stat);

// MemAvailable in the text of /proc/meminfo.
std::optional<int64_t> MemAvailableBytes(std::string_view meminfo);

// The largest resident set that this process had.
int64_t PeakResidentBytes();

}  // namespace zs

#endif  // ENGINE_TRAIN_HOST_MEMORY_H_
