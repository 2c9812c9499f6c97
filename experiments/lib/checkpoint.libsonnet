// Checkpoints.
{
  none:: { checkpoint: {} },

  at_end:: { checkpoint+: { save_at_end: true } },

  every(steps):: { checkpoint+: { save_every: steps } },

  // Saves at the end, and proves that the saved state can be gone on from.
  verified:: { checkpoint+: { save_at_end: true, verify_load: true } },
}
