// Ways to a node: the argv that, put before a command, runs it there with its
// standard input and output as a pipe. {host} stands for the node's name.
{
  // This host.
  here:: [],

  // The user's own ssh configuration applies; it never asks for a password.
  ssh:: ['ssh', '-oBatchMode=yes', '{host}'],

  // With a configuration file of its own.
  ssh_with(config):: ['ssh', '-F', config, '-oBatchMode=yes', '{host}'],

  // Into a container that runs on this host.
  docker(container):: self.container('docker', container),
  podman(container):: self.container('podman', container),
  container(engine, container):: [engine, 'exec', '-i', container],

  // Into a container of that name on each node.
  ssh_docker(container):: self.ssh + self.docker(container),
  ssh_podman(container):: self.ssh + self.podman(container),

  // Within a Slurm allocation. Unbuffered: otherwise whole lines alone pass.
  srun:: ['srun', '--unbuffered', '--overlap', '-N1', '-n1', '-w', '{host}'],

  // Into pods that are named as the nodes are.
  kubectl:: ['kubectl', 'exec', '-i', '{host}', '--'],
}
