// The frames in which runner and agent speak: 8 bytes of header ('Z', 'S',
// version, type, payload length as 32 bits little endian) and the payload.
#ifndef RUNNER_AGENT_FRAME_H_
#define RUNNER_AGENT_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace zs {

// Raised with every change that an older peer would misunderstand.
inline constexpr uint8_t kFrameVersion = 1;
inline constexpr size_t kFrameHeaderBytes = 8;
inline constexpr size_t kMaxPayloadBytes = size_t{4} << 20;

struct Frame {
  uint8_t type = 0;
  std::string payload;
};

// Appends the frame to OUT. PAYLOAD holds at most kMaxPayloadBytes.
void AppendFrame(uint8_t type, std::string_view payload, std::string& out);

// Cuts a stream of any bytes into frames. Holds at most one frame and what was
// fed beside it.
class FrameDecoder {
 public:
  void Feed(std::string_view bytes);

  // The next whole frame; empty: feed more. kDataLoss (and from then on always)
  // where the bytes are no frames, a frame is larger than kMaxPayloadBytes or
  // of another version.
  Result<std::optional<Frame>> Next();

  // Bytes fed and not yet given out.
  size_t buffered_bytes() const { return buffer_.size() - begin_; }

 private:
  Status CheckHeader(const unsigned char* header) const;

  std::string buffer_;
  size_t begin_ = 0;  // of the bytes in buffer_ that are still to come
  Status broken_;
};

}  // namespace zs

#endif  // RUNNER_AGENT_FRAME_H_
