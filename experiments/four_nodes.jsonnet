// The five steps on four nodes: a smoke run on one node, one on all four, then
// Qwen3-1.7B under ZeRO 0, 1 and 2. Each step waits for the smoke runs. NCCL
// says what it took (NCCL_DEBUG=INFO) whenever nodes talk to each other.
//
//   runner plan experiments/four_nodes.jsonnet
//   runner plan experiments/four_nodes.jsonnet -A data_prefix=/ssd/corpus/prefix -A interface=bond0
local checkpoint = import 'lib/checkpoint.libsonnet';
local data = import 'lib/data.libsonnet';
local matrix = import 'lib/matrix.libsonnet';
local nccl = import 'lib/nccl.libsonnet';
local sweep = import 'lib/sweep.libsonnet';
local zero = import 'lib/zero.libsonnet';

// `data_prefix`: that of a .bin and .idx pair on every node; without it random
// tokens, which tell as much about speed. `interface`: the network interface
// of NCCL and Gloo, where they would choose another one.
function(data_prefix='', interface='', cluster=import 'clusters/g0033.libsonnet')
  local network = nccl.info
                  + (if interface == '' then {} else nccl.interface(interface));

  local common = {
    backend: 'engine',
    device: 'cuda',
    limits: { start_s: 300, first_step_s: 600, hang_s: 300, total_s: 7200, grace_s: 45 },
  };

  local smoke = common + {
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
  };

  local qwen3 = common + {
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
  };

  local single = smoke + cluster.one + { name: 'smoke_single' };
  local multi = smoke + cluster.all + network + checkpoint.verified
                + { name: 'smoke_multi', needs: ['smoke_single'] };
  local stages = matrix.needs(
    matrix.experiments(zero.axis(),
                       qwen3 + cluster.all + network + { expect+: { max_step_cv: 0.1 } }),
    ['smoke_multi']
  );

  sweep.sweep('four-nodes', [single, multi] + stages)
