// 10,000 experiments, all but one behind a gate: what plan_bench plans.
local data = import 'lib/data.libsonnet';
local matrix = import 'lib/matrix.libsonnet';
local sweep = import 'lib/sweep.libsonnet';
local topology = import 'lib/topology.libsonnet';
local zero = import 'lib/zero.libsonnet';

local base = topology.here(2) + {
  backend: 'engine',
  device: 'cpu',
  model: import 'models/gpt2_124m.libsonnet',
  data: data.random,
  train: {
    micro_batch: 1,
    global_batch: 128,
    seq_len: 128,
    steps: 20,
    warmup_steps: 4,
  },
  env: { OMP_PROC_BIND: 'true' },
};

local train(set) = { train+: set };

local points = matrix.product([
  zero.axis([0, 1]),
  matrix.axis([1, 2, 4, 8], 'mb', function(v) train({ micro_batch: v })),
  matrix.axis(std.range(1, 50), 'seed', function(v) train({ seed: v })),
  matrix.axis(std.range(1, 25), 'lr', function(v) train({ lr: v * 1e-4 })),
]);

local gate = base { name: 'gate' };

sweep.sweep('matrix', [gate] + matrix.needs(matrix.experiments(points[1:], base), ['gate']))
