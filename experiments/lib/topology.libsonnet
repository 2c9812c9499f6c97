// Where the ranks run.
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

  // Points for a matrix: `main` ranks without a part of the name, every other
  // number as r1, r4, ...
  axis(ranks, main)::
    [
      matrix.point(if r == main then '' else 'r%d' % r, $.here(r))
      for r in ranks
    ],
}
