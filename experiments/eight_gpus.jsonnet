// Eight GPUs of one host, or as many as there are: do the links carry what they
// should, and how do ZeRO 0, 1 and 2 scale from one GPU to all?
//
// links_2, links_4, links_8 are gates. Then for each model, under z0, z1, z2 on
// 1, 2, 4, 8 GPUs: `strong`, one global batch for all (eight micro-batches), and
// `weak`, two micro-batches a GPU. One GPU shards nothing and runs z0 alone.
//
//   runner experiments/eight_gpus.jsonnet
//   runner experiments/eight_gpus.jsonnet --tla-code min_busbw_gb_s=300
local data = import 'lib/data.libsonnet';
local links = import 'lib/links.libsonnet';
local matrix = import 'lib/matrix.libsonnet';
local nccl = import 'lib/nccl.libsonnet';
local sweep = import 'lib/sweep.libsonnet';
local topology = import 'lib/topology.libsonnet';
local zero = import 'lib/zero.libsonnet';

local counts = [1, 2, 4, 8];

// Sequences a GPU takes at once, by the memory that it has: states of stage 0
// and activations leave a tenth free.
local micro_batch(gpu_memory_bytes, table) =
  local fitting = [row[1] for row in table if row[0] <= gpu_memory_bytes];
  if std.length(fitting) > 0 then fitting[0] else 1;

local models(gpu_memory_bytes) = [
  {
    prefix: 'gpt2',
    model: import 'models/gpt2_124m.libsonnet',
    seq_len: 1024,
    micro_batch: micro_batch(gpu_memory_bytes, [[35e9, 32], [20e9, 8]]),
    steps: 25,
  },
  {
    prefix: 'qwen3',
    model: import 'models/qwen3_1p7b.libsonnet',
    seq_len: 4096,
    micro_batch: micro_batch(gpu_memory_bytes, [[85e9, 4], [60e9, 2]]),
    steps: 12,
  },
];

// Micro-batches of a step: of all GPUs together, or of each.
local scalings = [
  { id: 'strong', micro_batches(ranks):: 8 },
  { id: 'weak', micro_batches(ranks):: 2 * ranks },
];

function(machine, min_busbw_gb_s=0)
  local here = (import 'clusters/local.libsonnet')(machine);
  local gpus = std.length(machine.gpus);
  local common = nccl.info {
    device: 'cuda',
    limits: { start_s: 120, first_step_s: 180, hang_s: 120, total_s: 600 },
  };

  // The machine has fewer GPUs than that.
  local limited(experiments) = matrix.exclude(
    experiments,
    function(e) e.topology.ranks_per_node > gpus,
    'this machine has %d GPUs' % gpus
  );

  local gate(ranks) =
    common + topology.here(ranks)
    + links.collectives(std.pow(2, 30), links.all_ops)
    + (if min_busbw_gb_s > 0 then links.at_least(min_busbw_gb_s) else {})
    + {
      name: 'links_%d' % ranks,
      needs: if ranks > 2 then ['links_%d' % (ranks / 2)] else [],
    };

  local runs(m, scaling) =
    local base = common {
      backend: 'engine',
      model: m.model,
      data: data.random,
      train: {
        micro_batch: m.micro_batch,
        seq_len: m.seq_len,
        steps: m.steps,
        warmup_steps: 4,
        lr: 3e-4,
        dtype: 'bf16',
        deterministic: false,
      },
    };
    local points = matrix.product([zero.axis(), topology.axis(counts, 0)]);
    matrix.select([
      e {
        needs: if e.topology.ranks_per_node > 1
               then ['links_%d' % e.topology.ranks_per_node]
               else [],
        train+: {
          global_batch: m.micro_batch
                        * scaling.micro_batches(e.topology.ranks_per_node),
        },
      }
      for e in matrix.experiments(points, base, m.prefix + '_' + scaling.id)
    ], function(e) e.topology.ranks_per_node > 1 || e.train.zero_stage == 0);

  sweep.sweep('eight_gpus', limited(
    [gate(ranks) for ranks in counts if ranks > 1]
    + std.flattenArrays([
      runs(m, scaling)
      for m in models(here.gpu_memory_bytes)
      for scaling in scalings
    ])
  ))
