// Any bytes as an agent's stream: frames, or an error that stays. The first
// byte says in which pieces the rest arrives.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runner/agent/frame.h"
#include "runner/agent/message.h"

namespace {

// What a decoder makes of BYTES fed in pieces of PIECE bytes: the frames one
// after the other, and at last whether it broke.
std::string Decoded(std::string_view bytes, size_t piece) {
  zs::FrameDecoder decoder;
  std::string seen;
  while (true) {
    const size_t n = std::min(piece, bytes.size());
    decoder.Feed(bytes.substr(0, n));
    bytes.remove_prefix(n);
    while (true) {
      const auto frame = decoder.Next();
      if (!frame.ok()) {
        return seen + "broken";
      }
      if (!frame->has_value()) {
        break;
      }
      (void)zs::ParseMessage(**frame);
      seen += std::to_string((*frame)->payload.size()) + ":" +
              std::string((*frame)->payload);
    }
    if (bytes.empty()) {
      return seen;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1),
                               size - 1);
  // However the bytes are cut, they mean the same.
  if (Decoded(bytes, 1 + data[0]) !=
      Decoded(bytes, std::max<size_t>(1, bytes.size()))) {
    std::abort();
  }
  return 0;
}
