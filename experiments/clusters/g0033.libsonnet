// Four nodes with eight H200 each, reached by ssh; the trees lie in a container
// of one name on every node. The variables are those of lib/compat.
{
  NODES: 'g[0033-0036]',
  NPROC_PER_NODE: 8,
  MASTER_ADDR: 'g0033',
  MASTER_PORT: 6000,
  CONTAINER_NAME: 'megatron-ngc25-training',
  NCCL_DEBUG: 'INFO',
}
