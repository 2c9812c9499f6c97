// Four nodes with eight H200 each, reached by ssh; the trees lie in a container
// of one name on every node.
local reach = import '../lib/reach.libsonnet';
local topology = import '../lib/topology.libsonnet';

{
  nodes:: 'g[0033-0036]',
  count:: 4,
  ranks_per_node:: 8,
  master_port:: 6000,
  container:: 'megatron-ngc25-training',

  // The first node alone.
  one:: topology.nodes(['g0033'],
                       1,
                       self.ranks_per_node,
                       reach.ssh_docker(self.container),
                       self.master_port),

  // All of them.
  all:: topology.nodes([self.nodes],
                       self.count,
                       self.ranks_per_node,
                       reach.ssh_docker(self.container),
                       self.master_port),
}
