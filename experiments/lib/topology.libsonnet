// Where the ranks run.
local hosts = import 'hosts.libsonnet';
local matrix = import 'matrix.libsonnet';
local reach = import 'reach.libsonnet';

{
  // RANKS processes on this host.
  here(ranks):: {
    topology: { nodes: ['localhost'], ranks_per_node: ranks, reach: reach.here },
    expect+: { world_size: ranks },
  },

  // All of NODES (names or patterns) with RANKS processes each. COUNT is their
  // number, which Jsonnet cannot tell from a pattern; it is checked.
  nodes(nodes, count, ranks, reach=reach.ssh, master_port=0):: {
    topology: {
      nodes: nodes,
      ranks_per_node: ranks,
      reach: reach,
      master_port: master_port,
    },
    expect+: { world_size: count * ranks },
  },

  // The same, counted here: NODES are names, patterns, or what lib/hosts gives.
  on(nodes, ranks, reach=reach.ssh, master_port=0)::
    local names = hosts.expand(nodes);
    self.nodes(names, std.length(names), ranks, reach, master_port),

  // All hosts of a hostfile (what hosts.hostfile gives), one rank a slot.
  hostfile(file, reach=reach.ssh, master_port=0)::
    self.on(file.nodes, file.slots, reach, master_port),

  // Points for a matrix: `main` ranks without a part of the name, every other
  // number as r1, r4, ...
  axis(ranks, main)::
    [
      matrix.point(if r == main then '' else 'r%d' % r, $.here(r))
      for r in ranks
    ],
}
