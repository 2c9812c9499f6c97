// Any bytes as an .idx file: refused, or documents that lie within the .bin
// file. The first byte says how large that is.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/data/megatron_index.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const int64_t bin_bytes = int64_t{1} << (data[0] % 40);
  const auto index = zs::ParseMegatronIndex(
      std::string_view(reinterpret_cast<const char*>(data + 1), size - 1),
      bin_bytes);
  if (!index.ok()) {
    return 0;
  }
  for (const int64_t pointer : index->pointers) {
    if (pointer < 0 || pointer > bin_bytes) {
      std::abort();
    }
  }
  return 0;
}
