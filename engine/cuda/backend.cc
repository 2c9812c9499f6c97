#include "engine/cuda/backend.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace zs {
namespace {

constexpr const char* kPlugin = "libengine_cuda.so";

struct Plugin {
  std::string path;
  void* handle = nullptr;
};

// It stays loaded: its objects live as long as the process may use them.
Result<Plugin> Load() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string path = (program.parent_path() / kPlugin).string();
  if (!std::filesystem::exists(path, error)) {
    return UnavailableError(
        "device 'cuda': there is no " + path +
        "; it is built where a CUDA toolkit with cuDNN and NCCL is found");
  }
  void* const plugin = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    return UnavailableError(
        std::string("device 'cuda': ") + ::dlerror() +
        "; put the folders of cuBLASLt, cuDNN and NCCL on LD_LIBRARY_PATH");
  }
  return Plugin{path, plugin};
}

}  // namespace

Status LoadCudaPlugin() {
  return Load().status();
}

Result<std::unique_ptr<CudaBackend>> OpenCudaBackend(
    const CudaBackendOptions& options) {
  ASSIGN_OR_RETURN(const Plugin plugin, Load());
  const auto open = reinterpret_cast<CudaBackendFunction>(
      ::dlsym(plugin.handle, kCudaBackendSymbol));
  if (open == nullptr) {
    return UnavailableError("device 'cuda': " + plugin.path +
                            " does not define " + kCudaBackendSymbol +
                            "; it belongs to another version of this program");
  }
  Result<std::unique_ptr<CudaBackend>> result =
      InternalError("the CUDA plug-in returned nothing");
  open(options, result);
  return result;
}

}  // namespace zs
