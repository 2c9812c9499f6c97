local topology = import 'topology.libsonnet';

// Collective operations alone, as a gate before training: wrong elements or a
// link slower than `expect.min_busbw_gb_s` stop what needs it.
{
  // OPS on sizes from 8 bytes to MAX_BYTES, by powers of two.
  collectives(max_bytes, ops=['all_reduce', 'reduce_scatter', 'all_gather']):: {
    backend: 'collectives',
    collectives: { ops: ops, min_bytes: 8, max_bytes: max_bytes },
  },

  // Every operation that can be measured.
  all_ops:: ['all_reduce', 'reduce_scatter', 'all_gather', 'broadcast', 'send_receive'],

  // Neighbours in a ring of NODES (names) two by two, one rank on each: a node
  // whose cable or adapter is slow is slow with both neighbours, and the verdict
  // names it. DEVICE and what all share (env, limits) come in MORE.
  pairs(nodes, more, max_bytes=std.pow(2, 22))::
    local n = std.length(nodes);
    local name(node) = std.strReplace(node, '.', '_');
    [
      local other = nodes[(i + 1) % n];
      $.collectives(max_bytes, ['send_receive'])
      + topology.on([nodes[i], other], 1)
      + { name: 'link_%s_%s' % [name(nodes[i]), name(other)] }
      + more
      for i in std.range(0, n - 1)
    ],

  // Each operation's best bus bandwidth must reach this.
  at_least(busbw_gb_s):: { expect+: { min_busbw_gb_s: busbw_gb_s } },
}
