// Several pieces of bytes in one call.
#ifndef RUNNER_AGENT_WRITE_PIECES_H_
#define RUNNER_AGENT_WRITE_PIECES_H_

#include <sys/types.h>

#include <string_view>
#include <vector>

namespace zs {

// Writes PIECES one behind the other, as writev(2) does: the bytes that were
// taken, or -1 and errno. Over ssh a call is a packet, whatever its size.
ssize_t WritePieces(int fd, const std::vector<std::string_view>& pieces);

}  // namespace zs

#endif  // RUNNER_AGENT_WRITE_PIECES_H_
