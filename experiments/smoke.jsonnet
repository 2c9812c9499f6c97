// Does everything work? A small model on CPU ranks of this machine under each
// ZeRO stage, and one checkpoint saved, loaded and gone on from: at most 40 s
// on two cores.
local checkpoint = import 'lib/checkpoint.libsonnet';
local data = import 'lib/data.libsonnet';
local matrix = import 'lib/matrix.libsonnet';
local sweep = import 'lib/sweep.libsonnet';
local topology = import 'lib/topology.libsonnet';
local zero = import 'lib/zero.libsonnet';

local base = {
  backend: 'engine',
  device: 'cpu',
  model: (import 'models/gpt_smoke.libsonnet') { layers: 2, hidden: 64, heads: 2, kv_heads: 2, ffn: 256 },
  data: data.licences,
  train: {
    micro_batch: 2,
    global_batch: 8,
    seq_len: 64,
    steps: 10,
    warmup_steps: 2,
    lr: 2e-3,
  },
  limits: { start_s: 60, first_step_s: 60, hang_s: 60, total_s: 120 },
  expect: { max_final_loss: 5.5 },  // ln 256 = 5.545 is what no training gives
};

local single = base + topology.here(1) + { name: 'smoke_r1' };

local stages = matrix.needs(
  matrix.experiments(zero.axis(), base + topology.here(2)),
  ['smoke_r1']
);

local verified = base + topology.here(2) + zero.stage(2) + checkpoint.verified
                 + { name: 'checkpoint_z2', needs: ['z2'] };

sweep.sweep('smoke', [single] + stages + [verified])
