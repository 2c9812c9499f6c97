#include "runner/agent/link.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace zs {
namespace {

constexpr size_t kEnds = 2;

// Room for a message's descriptors, aligned as the kernel wants it.
union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(kEnds * sizeof(int))];
};

}  // namespace

Status SendLink(int socket, int in, int out) {
  char byte = 'l';
  iovec data{&byte, 1};
  Control control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(kEnds * sizeof(int));
  const int ends[kEnds] = {in, out};
  std::memcpy(CMSG_DATA(header), ends, sizeof ends);
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == 1
             ? OkStatus()
             : ErrnoError(errno, "hand the connection to the agent");
}

Result<Link> TakeLink(int listener) {
  Link link;
  link.front = Descriptor(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!link.front.valid()) {
    return UnavailableError("no front");
  }
  const timeval wait{1, 0};
  ::setsockopt(link.front.get(), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  char byte = 0;
  iovec data{&byte, 1};
  Control control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  if (::recvmsg(link.front.get(), &message, MSG_CMSG_CLOEXEC) != 1) {
    return UnavailableError("a front that hands nothing on");
  }
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(kEnds * sizeof(int))) {
    return UnavailableError("a front that hands nothing on");
  }
  int ends[kEnds];
  std::memcpy(ends, CMSG_DATA(header), sizeof ends);
  link.in = Descriptor(ends[0]);
  link.out = Descriptor(ends[1]);
  RETURN_IF_ERROR(SetNonBlocking(link.in.get()));
  RETURN_IF_ERROR(SetNonBlocking(link.out.get()));
  return link;
}

}  // namespace zs
