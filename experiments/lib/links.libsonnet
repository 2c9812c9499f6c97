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

  // Each operation's best bus bandwidth must reach this.
  at_least(busbw_gb_s):: { expect+: { min_busbw_gb_s: busbw_gb_s } },
}
