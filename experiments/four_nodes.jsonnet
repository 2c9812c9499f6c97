// The five steps on four nodes: a smoke run on one node, one on all four, then
// Qwen3-1.7B under ZeRO 0, 1 and 2. Each step waits for the smoke runs. NCCL
// says what it took (NCCL_DEBUG=INFO) whenever nodes talk to each other.
//
//   runner plan experiments/four_nodes.jsonnet --show z1
//   runner plan experiments/four_nodes.jsonnet -A data_prefix=/ssd/corpus/prefix -A interface=bond0
//   runner check experiments/four_nodes.jsonnet --tla-code 'variables={ NCCL_IB_HCA: "mlx5_0,mlx5_1" }'
local checkpoint = import 'lib/checkpoint.libsonnet';
local compat = import 'lib/compat.libsonnet';
local data = import 'lib/data.libsonnet';
local matrix = import 'lib/matrix.libsonnet';
local sweep = import 'lib/sweep.libsonnet';
local zero = import 'lib/zero.libsonnet';

// On GPUs, for real.
local on_gpus(data_prefix) = {
  common: {
    backend: 'engine',
    device: 'cuda',
    limits: { start_s: 300, first_step_s: 600, hang_s: 300, total_s: 7200, grace_s: 45 },
  },
  smoke: {
    model: import 'models/gpt_smoke.libsonnet',
    data: data.licences,
    train: {
      micro_batch: 4,
      global_batch: 128,
      seq_len: 256,
      steps: 20,
      warmup_steps: 5,
      dtype: 'bf16',
      lr: 1e-3,
    },
  },
  training: {
    model: import 'models/qwen3_1p7b.libsonnet',
    data: if data_prefix == '' then data.random else data.megatron([data_prefix]),
    train: {
      micro_batch: 16,
      global_batch: 2048,
      seq_len: 4096,
      steps: 50,
      warmup_steps: 10,
      dtype: 'bf16',
      // Each stage at its best: its least traffic, and the fastest kernels.
      deterministic: false,
      lr: 3e-4,
      lr_schedule: 'cosine',
      lr_warmup_steps: 10,
      recompute: 'full',
    },
    expect: { max_step_cv: 0.1 },
  },
};

// The same order with small models on CPU ranks, to try the nodes.
local on_cpus = {
  common: {
    backend: 'engine',
    device: 'cpu',
    threads_per_rank: 1,
    limits: { start_s: 120, first_step_s: 120, hang_s: 120, total_s: 600 },
  },
  smoke: {
    model: (import 'models/gpt_smoke.libsonnet') { layers: 2, hidden: 64, heads: 2, kv_heads: 2, ffn: 256 },
    data: data.licences,
    train: { micro_batch: 1, global_batch: 16, seq_len: 64, steps: 6, warmup_steps: 1, lr: 1e-3 },
  },
  training: {
    model: (import 'models/gpt_small.libsonnet') { layers: 2, hidden: 64, head_size: 8, ffn: 192 },
    data: data.licences,
    train: { micro_batch: 1, global_batch: 16, seq_len: 64, steps: 12, warmup_steps: 2, lr: 1e-3 },
  },
};

// `data_prefix`: that of a .bin and .idx pair on every node; without it random
// tokens, which tell as much about speed. `interface`: the network interface
// of NCCL and Gloo, where they would choose another one. `variables`: what is
// not as in the cluster file (lib/compat).
function(
  data_prefix='',
  interface='',
  variables={},
  device='cuda',
  cluster=import 'clusters/g0033.libsonnet',
)
  local set = compat.cluster(cluster + { NCCL_SOCKET_IFNAME: interface, GLOO_SOCKET_IFNAME: interface } + variables);
  local ways = { cuda: on_gpus(data_prefix), cpu: on_cpus };
  local way =
    if std.objectHas(ways, device) then ways[device]
    else error 'device: %s; allowed are cuda and cpu' % device;
  local smoke = way.common + way.smoke;
  local single = smoke + set.one + { name: 'smoke_single' };
  local multi = smoke + set.all + checkpoint.verified + set.checkpoints('smoke_multi')
                + { name: 'smoke_multi', needs: ['smoke_single'] };
  local stages = matrix.needs(
    matrix.experiments(zero.axis(set.stages),
                       way.common + way.training + set.all
                       + { expect+: std.get(way.training, 'expect', {}) }),
    ['smoke_multi']
  );

  sweep.sweep('four-nodes', [single, multi] + stages)
