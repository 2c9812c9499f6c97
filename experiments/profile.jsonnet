// What can this machine do? Short runs from which `runner profile` makes a
// machine profile: products of several widths, short and long sequences on one
// core (or GPU), all cores, two ranks that hide their communication or not, and
// more ranks than cores.
local data = import 'lib/data.libsonnet';
local sweep = import 'lib/sweep.libsonnet';
local topology = import 'lib/topology.libsonnet';

local model(hidden, layers) = {
  name: 'profile_h%d' % hidden,
  layers: layers,
  hidden: hidden,
  heads: hidden / 64,
  kv_heads: hidden / 64,
  head_size: 64,
  ffn: 4 * hidden,
  vocab: 256,
  max_seq_len: 4096,
  norm: 'layernorm',
  position: 'learned',
  activation: 'gelu',
  bias: true,
};

function(machine)
  local gpu = std.length(machine.gpus) > 0;
  local size = if gpu then 8 else 1;  // GPUs need larger products

  local base = {
    backend: 'engine',
    device: if gpu then 'cuda' else 'cpu',
    data: data.random,
    threads_per_rank: 1,
    repeats: 3,  // the fastest counts
    limits: { start_s: 120, first_step_s: 180, hang_s: 120, total_s: 600 },
  };

  local run(name, hidden, layers, seq, tokens, ranks=1, passes=1, train={}, more={}) =
    base + topology.here(ranks) + {
      name: name,
      model: model(size * hidden, layers),
      train: {
        zero_stage: 0,
        micro_batch: tokens / seq,
        global_batch: passes * ranks * tokens / seq,
        seq_len: seq,
        steps: 12,
        warmup_steps: 3,
        dtype: if gpu then 'bf16' else 'fp32',
      } + train,
    } + more;

  local ranks = if gpu then std.min(2, std.length(machine.gpus)) else 2;
  local serial = { overlap: false };
  local single = [
    run('narrow', 64, 4, 64, 512 * size),
    run('narrow_long', 64, 4, 512, 512 * size),
    run('middle', 256, 4, 64, 512 * size),
    run('middle_long', 256, 4, 512, 512 * size),
    run('wide', 512, 2, 128, 512 * size),
  ];
  local threads = [
    run('threads', 256, 4, 64, 512 * size, more={ threads_per_rank: machine.cores }),
  ];
  local several = [
    run('serial_narrow', 64, 4, 64, 512 * size, ranks, train=serial),
    run('serial_wide', 512, 2, 128, 512 * size, ranks, train=serial),
    run('serial_z1', 512, 2, 128, 512 * size, ranks, train=serial { zero_stage: 1 }),
    run('hidden', 256, 4, 64, 512 * size, ranks, passes=2),
    run('hidden_z1', 256, 4, 64, 512 * size, ranks, passes=2, train={ zero_stage: 1 }),
  ];

  // Ranks that share cores wait for each other in turns.
  local crowded = [
    run('crowded', 64, 4, 64, 512, 2 * machine.cores),
    run('crowded_z1', 256, 2, 64, 512, 2 * machine.cores, train={ zero_stage: 1 }),
  ];

  sweep.sweep('profile', single
                         + (if gpu || machine.cores == 1 then [] else threads)
                         + (if ranks > 1 then several else [])
                         + (if gpu || machine.cores > 16 then [] else crowded))
