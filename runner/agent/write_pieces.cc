#include "runner/agent/write_pieces.h"

#include <sys/uio.h>

namespace zs {

ssize_t WritePieces(int fd, const std::vector<std::string_view>& pieces) {
  std::vector<iovec> vectors;
  vectors.reserve(pieces.size());
  for (const std::string_view piece : pieces) {
    vectors.push_back({const_cast<char*>(piece.data()), piece.size()});
  }
  return ::writev(fd, vectors.data(), static_cast<int>(vectors.size()));
}

}  // namespace zs
