// ZeRO stages under DeepSpeed's names: 0 keeps parameters, gradients and
// optimizer state whole on each rank, 1 shards the optimizer state, 2 the
// gradients too.
local matrix = import 'matrix.libsonnet';

{
  stage(stage):: { train+: { zero_stage: stage } },

  // Points z0, z1, z2 for a matrix.
  axis(stages=[0, 1, 2]):: matrix.axis(stages, 'z', self.stage),
}
