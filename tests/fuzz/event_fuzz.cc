// Any bytes as a line of the engine: an event that is told again as the same
// line, or an error.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/api/event.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto event = zs::ParseEventLine(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (event.ok()) {
    const std::string line = zs::EventLine(*event);
    const auto again = zs::ParseEventLine(line);
    if (!again.ok() || zs::EventLine(*again) != line) {
      std::abort();
    }
  }
  return 0;
}
