#include "runner/host/port.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/descriptor.h"

namespace zs {
namespace {

constexpr int kFirst = 20000;
constexpr int kCount = 12768;

}  // namespace

bool IsPortFree(int port) {
  const Descriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return false;
  }
  // As the rendezvous itself binds: what only waits in TIME_WAIT is no one's.
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  return ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address),
                sizeof(address)) == 0 &&
         ::listen(fd.get(), 1) == 0;
}

Result<int> FreePort(int preferred, uint64_t seed) {
  if (preferred > 0 && preferred <= 65535 && IsPortFree(preferred)) {
    return preferred;
  }
  for (int i = 0; i < kCount; ++i) {
    const int port =
        kFirst + static_cast<int>((seed + static_cast<uint64_t>(i)) % kCount);
    if (IsPortFree(port)) {
      return port;
    }
  }
  return ResourceExhaustedError(
      "no TCP port from 20000 to 32767 is free on this host");
}

}  // namespace zs
