// A graph of cuDNN's operations through its backend C API, and the plan that
// carries it out.
#ifndef ENGINE_CUDA_ATTENTION_CUDNN_GRAPH_H_
#define ENGINE_CUDA_ATTENTION_CUDNN_GRAPH_H_

#include <cudnn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace zs::gpu {

// OK, or "cuDNN: WHAT: NAME (its last message)": kUnimplemented for all that
// cuDNN calls not supported, kUnavailable where it was not set up.
Status ToStatus(cudnnStatus_t status, const std::string& what);

// Owns a backend descriptor. The first error of its calls is kept, and those
// after it do nothing: Finalize() returns it.
class CudnnDescriptor {
 public:
  CudnnDescriptor() = default;
  explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);
  ~CudnnDescriptor();
  CudnnDescriptor(CudnnDescriptor&& other) noexcept { Swap(other); }
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept {
    Swap(other);
    return *this;
  }

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  CudnnDescriptor& Set(cudnnBackendAttributeName_t name,
                       cudnnBackendAttributeType_t type, int64_t count,
                       const void* values);
  CudnnDescriptor& SetInt64(cudnnBackendAttributeName_t name, int64_t value);
  CudnnDescriptor& SetBool(cudnnBackendAttributeName_t name, bool value);
  CudnnDescriptor& Link(cudnnBackendAttributeName_t name,
                        const CudnnDescriptor& other);
  Status Finalize(const std::string& what);

 private:
  void Swap(CudnnDescriptor& other);

  cudnnBackendDescriptor_t descriptor_ = nullptr;
  Status status_;
};

// The device that plans are made for: the current one, through a handle, or
// one known by its description alone (no GPU is needed for that).
struct CudnnTarget {
  cudnnHandle_t handle = nullptr;
  const CudnnDescriptor* described = nullptr;
};

// {batch, heads, rows, columns}; strides in elements.
using CudnnDims = std::array<int64_t, 4>;
CudnnDims PackedStrides(const CudnnDims& dims);

// A plan: kernels that were chosen and built. Move-only.
class CudnnPlan {
 public:
  struct Argument {
    int64_t uid;
    void* data;  // of device memory
  };

  // Bytes of device memory that Run needs.
  size_t workspace_bytes() const { return workspace_bytes_; }
  // The engine taken, and how many configurations there were.
  int64_t engine() const { return engine_; }
  int configurations() const { return configurations_; }

  Status Run(cudnnHandle_t handle, const std::vector<Argument>& arguments,
             void* workspace) const;

 private:
  friend class CudnnGraph;

  std::deque<CudnnDescriptor> kept_;  // the plan refers to its graph
  CudnnDescriptor plan_;
  std::vector<std::pair<int64_t, float>> scalars_;
  size_t workspace_bytes_ = 0;
  int64_t engine_ = -1;
  int configurations_ = 0;
};

// Collects operations in the order of computation. The first error is kept and
// returned by Build().
class CudnnGraph {
 public:
  struct Tensor {
    CudnnDescriptor descriptor;
    CudnnDims dims;
  };
  using Ref = const Tensor*;  // valid as long as the graph

  // In memory, named by UID when the plan runs.
  Ref Memory(int64_t uid, const CudnnDims& dims, const CudnnDims& strides,
             cudnnDataType_t type);
  // Never in memory. Strides say the order of axes alone.
  Ref Virtual(const CudnnDims& dims, cudnnDataType_t type = CUDNN_DATA_FLOAT);
  Ref Virtual(const CudnnDims& dims, const CudnnDims& strides,
              cudnnDataType_t type);
  // A number that is handed over from the host.
  Ref Scalar(float value);

  // y = mode(x) or mode(x, b); returns y.
  Ref Pointwise(cudnnPointwiseMode_t mode, Ref x, Ref b, Ref y);
  // The indices of x along AXIS.
  Ref Indices(Ref x, int64_t axis);
  // left >= right
  Ref NotLess(Ref left, Ref right);
  // predicate ? x : other
  Ref Select(Ref predicate, Ref x, Ref other, Ref y);
  Ref Product(Ref a, Ref b, Ref y);
  // Along the axes where y is shorter than x.
  Ref Reduce(cudnnReduceTensorOp_t kind, Ref x, Ref y);
  // x's memory with y's dims and strides.
  Ref View(Ref x, Ref y);

  // The first configuration of cuDNN's heuristics that can be built.
  // kUnimplemented where there is none, with the reason of the last: cuDNN
  // does not know this graph, or cannot build it here.
  Result<CudnnPlan> Build(const CudnnTarget& target) &&;

 private:
  Ref Add(int64_t uid, const CudnnDims& dims, const CudnnDims& strides,
          cudnnDataType_t type, bool is_virtual, bool by_value);
  Ref AddPointwise(CudnnDescriptor mode, Ref x, Ref b, Ref predicate, Ref y);
  Ref AddOperation(CudnnDescriptor parameters, CudnnDescriptor operation,
                   const char* what, Ref y);
  void Keep(Status status);

  std::deque<Tensor> tensors_;
  std::deque<CudnnDescriptor> parameters_;
  std::deque<CudnnDescriptor> operations_;
  std::vector<std::pair<int64_t, float>> scalars_;
  int64_t next_uid_ = 1000;
  Status status_;
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_ATTENTION_CUDNN_GRAPH_H_
