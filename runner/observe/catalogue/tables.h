// The parts of the catalogue's table, by source. Only signature.cc reads them.
#ifndef RUNNER_OBSERVE_CATALOGUE_TABLES_H_
#define RUNNER_OBSERVE_CATALOGUE_TABLES_H_

#include <span>

#include "runner/observe/catalogue/signature.h"

namespace zs {

struct CatalogueTable {
  std::span<const Signature> signatures;
  std::span<const Expression> expressions;
};

CatalogueTable LaunchTable();      // ssh, docker, Slurm, files, host memory
CatalogueTable RendezvousTable();  // torchrun, c10d, Gloo
CatalogueTable NcclTable();        // interfaces, bootstrap, sockets
CatalogueTable InfinibandTable();  // HCAs, GPU Direct, inside the node
CatalogueTable GpuTable();         // CUDA, kernel, NVML
CatalogueTable TorchTable();       // PyTorch's process groups, Python
CatalogueTable TrainingTable();    // Megatron-LM, data, checkpoints, speed

}  // namespace zs

#endif  // RUNNER_OBSERVE_CATALOGUE_TABLES_H_
