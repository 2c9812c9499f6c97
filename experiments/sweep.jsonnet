// The recommended order on one machine: a smoke run on one rank, one on
// several, the links between them, then the model under ZeRO 0, 1 and 2 on each topology that the
// machine has. z0, z1 and z2 are those on the main topology (all GPUs, or two
// CPU ranks); the others say their number of ranks: z0_r1, z0_r4.
//
//   runner experiments/sweep.jsonnet
//   jsonnet --tla-code 'machine={cores: 2, memory_bytes: 8e9, gpus: []}' experiments/sweep.jsonnet
local data = import 'lib/data.libsonnet';
local links = import 'lib/links.libsonnet';
local matrix = import 'lib/matrix.libsonnet';
local nccl = import 'lib/nccl.libsonnet';
local sweep = import 'lib/sweep.libsonnet';
local topology = import 'lib/topology.libsonnet';
local zero = import 'lib/zero.libsonnet';

// On CPUs: about five seconds for each run on two cores. Other programs disturb
// a CPU more than a GPU, so what is compared is run three times.
local cpu_model = {
  prefix: '',
  repeats: 3,
  model: import 'models/gpt_small.libsonnet',
  data: data.licences,
  train: {
    micro_batch: 4,
    global_batch: 16,
    seq_len: 128,
    steps: 24,
    warmup_steps: 4,
    lr: 1e-3,
  },
  expect: { max_final_loss: 5.0 },  // ln 256 = 5.545 is what no training gives
};

// On GPUs the global batch is the same on one GPU and on all of them: four
// micro-batches a step and rank on all.
local gpu_train(local_machine, micro_batch) = {
  micro_batch: micro_batch,
  global_batch: 4 * micro_batch * local_machine.main_ranks,
  dtype: 'bf16',
  // Each stage at its best: its least traffic, and the fastest kernels.
  deterministic: false,
  // So small that rounding, which such kernels do not repeat, does not drive
  // the losses of two stages apart: they must stay comparable.
  lr: 3e-5,
  lr_schedule: 'cosine',
  lr_warmup_steps: 5,
  recompute: 'none',
};

// The largest micro-batch for which states and activations leave a tenth of
// the GPU free; `table` has the memory that a GPU must have for each.
local micro_batch(gpu_memory_bytes, table) =
  local fitting = [row[1] for row in table if row[0] <= gpu_memory_bytes];
  if std.length(fitting) > 0 then fitting[0] else 1;

local gpu_models(local_machine) = [
  {
    prefix: 'gpt2',
    repeats: 1,
    model: import 'models/gpt2_124m.libsonnet',
    data: data.random,
    train: gpu_train(local_machine,
                     micro_batch(local_machine.gpu_memory_bytes,
                                 [[31e9, 64], [17.5e9, 32], [10e9, 16]])) {
      seq_len: 1024,
      steps: 40,
      warmup_steps: 10,
    },
    expect: { max_step_cv: 0.2 },
  },
  {
    prefix: '',
    repeats: 1,
    model: import 'models/qwen3_1p7b.libsonnet',
    data: data.random,
    train: gpu_train(local_machine,
                     micro_batch(local_machine.gpu_memory_bytes,
                                 [[120e9, 8], [80e9, 4], [57e9, 2]])) {
      seq_len: 4096,
      steps: 20,
      warmup_steps: 5,
    },
    expect: { max_step_cv: 0.2 },
  },
];

function(machine)
  local here = (import 'clusters/local.libsonnet')(machine);
  local limits = { start_s: 120, first_step_s: 180, hang_s: 120, total_s: 900 };
  local common = { backend: 'engine', device: here.device, limits: limits }
                 // What NCCL took is on record, and judged.
                 + (if here.device == 'cuda' then nccl.info else {});

  local smoke(ranks, needs) = common + topology.here(ranks) + {
    name: 'smoke_r%d' % ranks,
    needs: needs,
    model: import 'models/gpt_smoke.libsonnet',
    data: data.licences,
    train: {
      micro_batch: 2,
      global_batch: 2 * std.max(4, ranks),
      seq_len: 64,
      steps: 6,
      warmup_steps: 1,
      lr: 1e-3,
      dtype: if here.device == 'cuda' then 'bf16' else 'fp32',
    },
    expect+: { max_final_loss: 5.6 },
  };

  local several = std.filter(function(r) r > 1, here.ranks);
  local gate = if std.length(several) > 0 then several[0] else 1;
  local smokes = [smoke(1, [])]
                 + (if gate > 1 then [smoke(gate, ['smoke_r1'])] else []);

  // Are the collective operations right, and how fast are they?
  local gates = if gate == 1 then [] else [
    common + topology.here(gate)
    + links.collectives(if here.device == 'cuda' then std.pow(2, 30) else std.pow(2, 20))
    + { name: 'links_r%d' % gate, needs: ['smoke_r%d' % gate] },
  ];
  local last_gate = if gate == 1 then 'smoke_r1' else 'links_r%d' % gate;

  // One model under each stage on each topology.
  local runs(m) =
    local main(e) = e.topology.ranks_per_node == here.main_ranks;
    local base = common + {
      model: m.model,
      data: m.data,
      train: m.train,
      expect: m.expect,
    };
    local points = matrix.product([here.axis, zero.axis()]);
    // Names begin with the stage: z0_r4.
    local named = [
      p { id: std.join('_', std.reverse(std.split(p.id, '_'))) }
      for p in points
    ];
    matrix.exclude(
      [
        e + (if main(e) then { repeats: m.repeats } else {})
        for e in matrix.needs(matrix.experiments(named, base, m.prefix), [last_gate])
      ],
      function(e) e.topology.ranks_per_node > here.max_ranks,
      'more than two ranks for each of this machine\'s %d cores' % machine.cores
    );

  local models =
    if here.device == 'cuda' then gpu_models(here) else [cpu_model];

  sweep.sweep('sweep', smokes + gates + std.flattenArrays([runs(m) for m in models]))
