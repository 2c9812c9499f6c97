// This machine. `machine` is what the runner offers to a file that is a
// function: { cores, memory_bytes, gpus: [{ name, memory_bytes }] }.
local topology = import '../lib/topology.libsonnet';

function(machine) {
  local gpus = std.length(machine.gpus),

  device: if gpus > 0 then 'cuda' else 'cpu',

  // Every rank has a GPU to itself; CPU ranks may outnumber the cores twofold.
  max_ranks: if gpus > 0 then gpus else 2 * machine.cores,

  // The topologies to compare, and the one whose names are the short ones.
  ranks: if gpus > 0 then std.set([1, gpus]) else [1, 2, 4],
  main_ranks: if gpus > 0 then gpus else 2,

  // The least that one of its GPUs has.
  gpu_memory_bytes:
    std.foldl(function(least, gpu) std.min(least, gpu.memory_bytes),
              machine.gpus,
              1e15),

  axis:: topology.axis(self.ranks, self.main_ranks),
}
