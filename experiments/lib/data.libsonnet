// Training data.
{
  // Text files as bytes (a vocabulary of 256).
  text(paths):: { kind: 'text', paths: paths },

  // The licences that every Debian and Ubuntu has: 92 kB of English.
  licences:: self.text([
    '/usr/share/common-licenses/' + name
    for name in ['Apache-2.0', 'GPL-2', 'GPL-3', 'LGPL-2.1']
  ]),

  // Megatron-LM's .bin and .idx, by their common prefix.
  megatron(prefixes):: { kind: 'megatron', paths: prefixes },

  // Random tokens: for speed alone; the loss stays where it begins.
  random:: { kind: 'random', paths: [] },
}
