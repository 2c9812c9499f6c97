// Network settings of NCCL and Gloo, as the environment of each rank.
{
  // What NCCL took: version, interfaces, transports, rings.
  info:: { env+: { NCCL_DEBUG: 'INFO' } },
  warnings:: { env+: { NCCL_DEBUG: 'WARN' } },

  // The network interface for bootstrap and sockets: 'bond0', 'eth0'.
  interface(name)::
    { env+: { NCCL_SOCKET_IFNAME: name, GLOO_SOCKET_IFNAME: name } },

  // InfiniBand or RoCE adapters: ['mlx5_0', 'mlx5_1'].
  adapters(names):: { env+: { NCCL_IB_HCA: std.join(',', names) } },

  // Sockets alone: to find faults, much slower.
  no_infiniband:: { env+: { NCCL_IB_DISABLE: '1' } },
}
