// From the variables of shell scripts that start torchrun on every node to the
// parts of an experiment: whoever has NODES, NPROC_PER_NODE, MASTER_ADDR,
// MASTER_PORT, CONTAINER_NAME, ZERO_STAGE and NCCL_* in their hands writes them
// down under these names. A name that is not known, or a value that contradicts
// another, is an error.
//
//   local compat = import 'lib/compat.libsonnet';
//   local cluster = compat.cluster({ NODES: 'g[0033-0036]', NPROC_PER_NODE: 8, MASTER_PORT: 6000,
//                                    CONTAINER_NAME: 'megatron', NCCL_SOCKET_IFNAME: 'bond0' });
//   base + cluster.all      // or cluster.one: the first node alone
//
// docs/checks.md says which of a user's own checks is which of the runner's.
local hosts = import 'hosts.libsonnet';
local reach = import 'reach.libsonnet';
local topology = import 'topology.libsonnet';
local zero = import 'zero.libsonnet';

// What the scripts set for themselves, and what it means here.
local known = {
  NODES: 'names, a pattern such as g[0033-0036], or [{ NODE, NODE_RANK }, ...]; the first is the master',
  NNODES: 'their number; must agree with NODES',
  NPROC_PER_NODE: 'ranks on each node (8)',
  MASTER_ADDR: 'must be the first of NODES',
  MASTER_PORT: '0 to 65535 (6000)',
  CONTAINER_NAME: 'of the container on every node; empty: none',
  CONTAINER_ENGINE: 'docker or podman (docker)',
  SSH_CONFIG: 'a file for ssh -F; empty: your own',
  ZERO_STAGE: '0, 1 or 2; empty: all three',
  ARTIFACT_ROOT: 'a folder that all nodes share; checkpoints go below it; empty: among the artifacts of a run',
};

// Why some of theirs have no place.
local refused = {
  NODE_RANK: 'the runner numbers the nodes in the order of NODES',
  RANK: 'the runner sets it for each rank',
  LOCAL_RANK: self.RANK,
  WORLD_SIZE: self.RANK,
  LOCAL_WORLD_SIZE: self.RANK,
};

// Beginnings of variables that go to each rank as they are.
local passed_on = ['NCCL_', 'GLOO_', 'TORCH_', 'TORCHELASTIC_', 'CUDA_', 'OMP_', 'UCX_', 'NVTE_', 'PYTHON'];

local is_passed_on(name) =
  std.length([p for p in passed_on if std.startsWith(name, p)]) > 0;

local text(value) = std.toString(value);

local checked_name(name) =
  if std.objectHas(refused, name) then error 'compat: %s: leave it out; %s' % [name, refused[name]]
  else if std.objectHas(known, name) || is_passed_on(name) then name
  else error 'compat: unknown variable %s; known are %s and what begins with %s'
             % [name, std.join(', ', std.objectFields(known)), std.join(', ', passed_on)];

local number(variables, name, default, lowest, highest) =
  local value = text(std.get(variables, name, default));
  local digits = std.length(value) >= 1 && std.length(value) <= 6
                 && std.length([c for c in std.stringChars(value) if c < '0' || c > '9']) == 0;
  if digits && std.parseInt(value) >= lowest && std.parseInt(value) <= highest then std.parseInt(value)
  else error 'compat: %s: %s; allowed are %d to %d' % [name, std.escapeStringJson(value), lowest, highest];

local one_of(variables, name, default, allowed) =
  local value = std.get(variables, name, default);
  if std.member(allowed, value) then value
  else error 'compat: %s: %s; allowed are %s' % [name, std.escapeStringJson(text(value)), std.join(', ', allowed)];

local nodes_of(variables) =
  local nodes = std.get(variables, 'NODES', 'localhost');
  if std.isArray(nodes) && std.length(nodes) > 0 && std.isObject(nodes[0])
  then hosts.ranked(nodes, 'NODES')
  else hosts.expand(nodes, 'NODES');

local way(variables, nodes) =
  local container = std.get(variables, 'CONTAINER_NAME', '');
  local config = std.get(variables, 'SSH_CONFIG', '');
  local engine = one_of(variables, 'CONTAINER_ENGINE', 'docker', ['docker', 'podman']);
  (if nodes == ['localhost'] then reach.here
   else if config == '' then reach.ssh
   else reach.ssh_with(config))
  + (if container == '' then [] else reach.container(engine, container));

{
  // { one, all, stages, stage(n), checkpoints(name), env, nodes } of VARIABLES: parts
  // to add to an experiment. Empty text stands for "not set", as in a shell.
  cluster(variables)::
    local set = {
      [checked_name(name)]: variables[name]
      for name in std.objectFields(variables)
      if variables[name] != ''
    };
    local nodes = nodes_of(set);
    local ranks = number(set, 'NPROC_PER_NODE', 8, 1, 4096);
    local port = number(set, 'MASTER_PORT', 6000, 0, 65535);
    local count = number(set, 'NNODES', std.length(nodes), 1, 4096);
    local master = std.get(set, 'MASTER_ADDR', nodes[0]);
    local prefix = way(set, nodes);
    local env = { [name]: text(set[name]) for name in std.objectFields(set) if is_passed_on(name) };
    assert count == std.length(nodes) :
           'compat: NNODES: %d, but NODES are %d: %s' % [count, std.length(nodes), std.join(', ', nodes)];
    assert master == nodes[0] || (master == 'localhost' && count == 1) :
           'compat: MASTER_ADDR: %s, but the first of NODES is %s; put it first' % [master, nodes[0]];
    {
      nodes: nodes,
      env: env,

      // The first node alone: what the nodes say to each other is of no concern.
      one: topology.nodes([nodes[0]], 1, ranks, prefix, port),

      all: topology.nodes(nodes, count, ranks, prefix, port) + { env+: env },

      // The ZeRO stages to compare.
      stages:
        if std.objectHas(set, 'ZERO_STAGE') then [number(set, 'ZERO_STAGE', 0, 0, 2)] else [0, 1, 2],

      stage(n):: zero.stage(n),

      // Checkpoints of the experiment NAME where the scripts put them.
      checkpoints(name)::
        if std.objectHas(set, 'ARTIFACT_ROOT')
        then { checkpoint+: { dir: set.ARTIFACT_ROOT + '/checkpoints/' + name } }
        else {},
    },
}
