// Who this process is among the ranks: torchrun's environment.
#ifndef ENGINE_COMM_RANK_ENVIRONMENT_H_
#define ENGINE_COMM_RANK_ENVIRONMENT_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace zs {

struct RankEnvironment {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int local_world_size = 1;  // ranks on this host; shares the cores
  std::string master_addr = "127.0.0.1";
  int master_port = 29500;
  std::string token;  // ZS_RENDEZVOUS_TOKEN: ranks with another one are refused
  std::string interface;  // GLOO_SOCKET_IFNAME; empty: the way to the master
};

// Reads RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR,
// MASTER_PORT, ZS_RENDEZVOUS_TOKEN and GLOO_SOCKET_IFNAME through LOOKUP (which
// gives nullptr for what is not set, as getenv does). What is unset has the
// defaults above; LOCAL_RANK and LOCAL_WORLD_SIZE follow RANK and WORLD_SIZE.
// Each fault adds a line to FAULTS.
RankEnvironment ReadRankEnvironment(
    const std::function<const char*(const char*)>& lookup,
    std::vector<std::string>& faults);

}  // namespace zs

#endif  // ENGINE_COMM_RANK_ENVIRONMENT_H_
