#include "runner/host/port.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/descriptor.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(PortTest, TakesAnotherWhereThePreferredOneIsHeld) {
  const auto port = FreePort(0, 77);
  ASSERT_OK(port);
  EXPECT_TRUE(IsPortFree(*port));
  EXPECT_EQ(*FreePort(*port, 1), *port);

  const Descriptor holder(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(*port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(holder.get(), reinterpret_cast<sockaddr*>(&address),
                   sizeof(address)),
            0);
  ASSERT_EQ(::listen(holder.get(), 1), 0);
  EXPECT_FALSE(IsPortFree(*port));
  const auto other = FreePort(*port, 77);
  ASSERT_OK(other);
  EXPECT_NE(*other, *port);
}

}  // namespace
}  // namespace zs
