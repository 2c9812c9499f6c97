#include "engine/cuda/check.h"

#include <string>

namespace zs::gpu {
namespace {

StatusCode CodeOf(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return StatusCode::kResourceExhausted;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorDevicesUnavailable:
    case cudaErrorInvalidDevice:
    case cudaErrorNoKernelImageForDevice:
      return StatusCode::kUnavailable;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
      return StatusCode::kInvalidArgument;
    default:
      return StatusCode::kInternal;
  }
}

}  // namespace

Status ToStatus(cudaError_t error, const char* what) {
  if (error == cudaSuccess) {
    return OkStatus();
  }
  return {CodeOf(error), std::string(what) + ": " + cudaGetErrorName(error) +
                             " (" + cudaGetErrorString(error) + ")"};
}

Status LaunchStatus(const char* kernel) {
  return ToStatus(cudaGetLastError(), kernel);
}

}  // namespace zs::gpu
