#include "runner/agent/frame.h"

#include <cassert>

namespace zs {
namespace {

uint32_t PayloadBytes(const unsigned char* header) {
  return static_cast<uint32_t>(header[4]) |
         static_cast<uint32_t>(header[5]) << 8 |
         static_cast<uint32_t>(header[6]) << 16 |
         static_cast<uint32_t>(header[7]) << 24;
}

}  // namespace

void AppendFrame(uint8_t type, std::string_view payload, std::string& out) {
  assert(payload.size() <= kMaxPayloadBytes);
  const auto size = static_cast<uint32_t>(payload.size());
  const char header[kFrameHeaderBytes] = {'Z',
                                          'S',
                                          static_cast<char>(kFrameVersion),
                                          static_cast<char>(type),
                                          static_cast<char>(size & 0xff),
                                          static_cast<char>(size >> 8 & 0xff),
                                          static_cast<char>(size >> 16 & 0xff),
                                          static_cast<char>(size >> 24 & 0xff)};
  out.append(header, sizeof header);
  out.append(payload);
}

void FrameDecoder::Feed(std::string_view bytes) {
  if (!broken_.ok()) {
    return;
  }
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  buffer_.append(bytes);
}

Status FrameDecoder::CheckHeader(const unsigned char* header) const {
  if (header[0] != 'Z' || header[1] != 'S') {
    return DataLossError("the peer's bytes are no frames");
  }
  if (header[2] != kFrameVersion) {
    return DataLossError("the peer speaks protocol version " +
                         std::to_string(header[2]) + ", this program version " +
                         std::to_string(kFrameVersion));
  }
  if (PayloadBytes(header) > kMaxPayloadBytes) {
    return DataLossError("a frame of " + std::to_string(PayloadBytes(header)) +
                         " bytes; at most " + std::to_string(kMaxPayloadBytes) +
                         " are allowed");
  }
  return OkStatus();
}

Result<std::optional<Frame>> FrameDecoder::Next() {
  RETURN_IF_ERROR(broken_);
  if (buffered_bytes() < kFrameHeaderBytes) {
    return std::optional<Frame>();
  }
  const auto* header =
      reinterpret_cast<const unsigned char*>(buffer_.data() + begin_);
  broken_ = CheckHeader(header);
  if (!broken_.ok()) {
    buffer_.clear();
    begin_ = 0;
    return broken_;
  }
  const size_t size = PayloadBytes(header);
  if (buffered_bytes() < kFrameHeaderBytes + size) {
    return std::optional<Frame>();
  }
  Frame frame{header[3], buffer_.substr(begin_ + kFrameHeaderBytes, size)};
  begin_ += kFrameHeaderBytes + size;
  return std::optional<Frame>(std::move(frame));
}

}  // namespace zs
