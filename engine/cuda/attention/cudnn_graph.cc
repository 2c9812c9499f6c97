#include "engine/cuda/attention/cudnn_graph.h"

#include <algorithm>

namespace zs::gpu {
namespace {

CudnnDescriptor PointwiseMode(cudnnPointwiseMode_t mode,
                              cudnnDataType_t precision) {
  CudnnDescriptor descriptor(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  descriptor.Set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1,
                 &mode);
  descriptor.Set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1,
                 &precision);
  return descriptor;
}

// Makes COUNT descriptors of TYPE for cuDNN to fill.
struct Filled {
  std::vector<CudnnDescriptor> owners;
  std::vector<cudnnBackendDescriptor_t> raw;

  Filled(cudnnBackendDescriptorType_t type, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      owners.emplace_back(type);
      raw.push_back(owners.back().get());
    }
  }
};

// cuDNN's recommendations for GRAPH, best first.
Result<std::vector<CudnnDescriptor>> Configurations(
    const CudnnDescriptor& graph, const CudnnTarget& target) {
  CudnnDescriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
  heuristic.Link(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
      .Set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  if (target.described != nullptr) {
    heuristic.Link(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *target.described);
  }
  RETURN_IF_ERROR(heuristic.Finalize("ask for engines"));
  int64_t count = 0;
  RETURN_IF_ERROR(ToStatus(
      cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                               CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count,
                               nullptr),
      "count engines"));
  Filled found(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, count);
  if (count > 0) {
    RETURN_IF_ERROR(ToStatus(
        cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &count,
                                 found.raw.data()),
        "list engines"));
  }
  found.owners.resize(count);
  return std::move(found.owners);
}

Result<int64_t> EngineOf(const CudnnDescriptor& configuration) {
  Filled engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
  int64_t count = 0;
  RETURN_IF_ERROR(ToStatus(
      cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                               CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count,
                               engine.raw.data()),
      "read the engine"));
  int64_t index = -1;
  RETURN_IF_ERROR(ToStatus(
      cudnnBackendGetAttribute(engine.raw[0], CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
                               CUDNN_TYPE_INT64, 1, &count, &index),
      "read the engine's number"));
  return index;
}

Result<CudnnDescriptor> MakePlan(const CudnnDescriptor& configuration,
                                 const CudnnTarget& target) {
  CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.Link(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  if (target.handle != nullptr) {
    plan.Set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1,
             &target.handle);
  }
  if (target.described != nullptr) {
    plan.Link(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *target.described);
  }
  RETURN_IF_ERROR(plan.Finalize("build a plan"));
  return plan;
}

StatusCode CodeOf(cudnnStatus_t status) {
  if (status == CUDNN_STATUS_NOT_INITIALIZED) {
    return StatusCode::kUnavailable;
  }
  return CUDNN_STATUS_CATEGORY(static_cast<int>(status)) ==
                 CUDNN_STATUS_NOT_SUPPORTED
             ? StatusCode::kUnimplemented
             : StatusCode::kInternal;
}

}  // namespace

Status ToStatus(cudnnStatus_t status, const std::string& what) {
  if (status == CUDNN_STATUS_SUCCESS) {
    return OkStatus();
  }
  char detail[1024] = "";
  cudnnGetLastErrorString(detail, sizeof detail);
  std::string text = detail;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return {CodeOf(status), "cuDNN: " + what + ": " +
                              cudnnGetErrorString(status) + " (" + text + ")"};
}

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type)
    : status_(ToStatus(cudnnBackendCreateDescriptor(type, &descriptor_),
                       "make a descriptor")) {}

CudnnDescriptor::~CudnnDescriptor() {
  if (descriptor_ != nullptr) {
    (void)cudnnBackendDestroyDescriptor(descriptor_);
  }
}

void CudnnDescriptor::Swap(CudnnDescriptor& other) {
  std::swap(descriptor_, other.descriptor_);
  std::swap(status_, other.status_);
}

CudnnDescriptor& CudnnDescriptor::Set(cudnnBackendAttributeName_t name,
                                      cudnnBackendAttributeType_t type,
                                      int64_t count, const void* values) {
  if (status_.ok()) {
    status_ = ToStatus(
        cudnnBackendSetAttribute(descriptor_, name, type, count, values),
        "set attribute " + std::to_string(static_cast<int>(name)));
  }
  return *this;
}

CudnnDescriptor& CudnnDescriptor::SetInt64(cudnnBackendAttributeName_t name,
                                           int64_t value) {
  return Set(name, CUDNN_TYPE_INT64, 1, &value);
}

CudnnDescriptor& CudnnDescriptor::SetBool(cudnnBackendAttributeName_t name,
                                          bool value) {
  return Set(name, CUDNN_TYPE_BOOLEAN, 1, &value);
}

CudnnDescriptor& CudnnDescriptor::Link(cudnnBackendAttributeName_t name,
                                       const CudnnDescriptor& other) {
  if (status_.ok()) {
    status_ = other.status_;
  }
  const cudnnBackendDescriptor_t raw = other.get();
  return Set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
}

Status CudnnDescriptor::Finalize(const std::string& what) {
  if (status_.ok()) {
    status_ = ToStatus(cudnnBackendFinalize(descriptor_), what);
  }
  return status_;
}

CudnnDims PackedStrides(const CudnnDims& dims) {
  return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
}

Status CudnnPlan::Run(cudnnHandle_t handle,
                      const std::vector<Argument>& arguments,
                      void* workspace) const {
  std::vector<int64_t> uids;
  std::vector<void*> pointers;
  for (const Argument& argument : arguments) {
    uids.push_back(argument.uid);
    pointers.push_back(argument.data);
  }
  for (const auto& [uid, value] : scalars_) {
    uids.push_back(uid);
    pointers.push_back(const_cast<float*>(&value));
  }
  const auto count = static_cast<int64_t>(uids.size());
  CudnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.Set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count,
           uids.data())
      .Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count,
           pointers.data())
      .Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
           &workspace);
  RETURN_IF_ERROR(pack.Finalize("bind the arguments"));
  return ToStatus(cudnnBackendExecute(handle, plan_.get(), pack.get()),
                  "run a plan");
}

CudnnGraph::Ref CudnnGraph::Memory(int64_t uid, const CudnnDims& dims,
                                   const CudnnDims& strides,
                                   cudnnDataType_t type) {
  return Add(uid, dims, strides, type, false, false);
}

CudnnGraph::Ref CudnnGraph::Virtual(const CudnnDims& dims,
                                    cudnnDataType_t type) {
  return Virtual(dims, PackedStrides(dims), type);
}

CudnnGraph::Ref CudnnGraph::Virtual(const CudnnDims& dims,
                                    const CudnnDims& strides,
                                    cudnnDataType_t type) {
  return Add(next_uid_++, dims, strides, type, true, false);
}

CudnnGraph::Ref CudnnGraph::Scalar(float value) {
  scalars_.emplace_back(next_uid_, value);
  return Add(next_uid_++, {1, 1, 1, 1}, {1, 1, 1, 1}, CUDNN_DATA_FLOAT, false,
             true);
}

CudnnGraph::Ref CudnnGraph::Pointwise(cudnnPointwiseMode_t mode, Ref x, Ref b,
                                      Ref y) {
  return AddPointwise(PointwiseMode(mode, CUDNN_DATA_FLOAT), x, b, nullptr, y);
}

CudnnGraph::Ref CudnnGraph::Indices(Ref x, int64_t axis) {
  CudnnDescriptor mode =
      PointwiseMode(CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_FLOAT);
  mode.SetInt64(CUDNN_ATTR_POINTWISE_AXIS, axis);
  return AddPointwise(std::move(mode), x, nullptr, nullptr,
                      Virtual(x->dims, CUDNN_DATA_INT32));
}

CudnnGraph::Ref CudnnGraph::NotLess(Ref left, Ref right) {
  return AddPointwise(PointwiseMode(CUDNN_POINTWISE_CMP_GE, CUDNN_DATA_BOOLEAN),
                      left, right, nullptr,
                      Virtual(left->dims, CUDNN_DATA_BOOLEAN));
}

CudnnGraph::Ref CudnnGraph::Select(Ref predicate, Ref x, Ref other, Ref y) {
  return AddPointwise(
      PointwiseMode(CUDNN_POINTWISE_BINARY_SELECT, CUDNN_DATA_FLOAT), x, other,
      predicate, y);
}

CudnnGraph::Ref CudnnGraph::Product(Ref a, Ref b, Ref y) {
  const cudnnDataType_t type = CUDNN_DATA_FLOAT;
  CudnnDescriptor product(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  product.Set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  Keep(product.Finalize("product"));
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  operation.Link(CUDNN_ATTR_OPERATION_MATMUL_DESC, product)
      .Link(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a->descriptor)
      .Link(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b->descriptor)
      .Link(CUDNN_ATTR_OPERATION_MATMUL_CDESC, y->descriptor);
  return AddOperation(std::move(product), std::move(operation), "product", y);
}

CudnnGraph::Ref CudnnGraph::Reduce(cudnnReduceTensorOp_t kind, Ref x, Ref y) {
  const cudnnDataType_t type = CUDNN_DATA_FLOAT;
  CudnnDescriptor reduction(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  reduction
      .Set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1,
           &kind)
      .Set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  Keep(reduction.Finalize("reduction"));
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  operation.Link(CUDNN_ATTR_OPERATION_REDUCTION_DESC, reduction)
      .Link(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x->descriptor)
      .Link(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y->descriptor);
  return AddOperation(std::move(reduction), std::move(operation), "reduction",
                      y);
}

CudnnGraph::Ref CudnnGraph::View(Ref x, Ref y) {
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  operation.Link(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x->descriptor)
      .Link(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y->descriptor);
  return AddOperation({}, std::move(operation), "view", y);
}

CudnnGraph::Ref CudnnGraph::Add(int64_t uid, const CudnnDims& dims,
                                const CudnnDims& strides, cudnnDataType_t type,
                                bool is_virtual, bool by_value) {
  CudnnDescriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.SetInt64(CUDNN_ATTR_TENSOR_UNIQUE_ID, uid)
      .Set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type)
      .Set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims.data())
      .Set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides.data())
      .SetInt64(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 16)
      .SetBool(CUDNN_ATTR_TENSOR_IS_VIRTUAL, is_virtual)
      .SetBool(CUDNN_ATTR_TENSOR_IS_BY_VALUE, by_value);
  Keep(tensor.Finalize("tensor " + std::to_string(uid)));
  tensors_.push_back({std::move(tensor), dims});
  return &tensors_.back();
}

CudnnGraph::Ref CudnnGraph::AddPointwise(CudnnDescriptor mode, Ref x, Ref b,
                                         Ref predicate, Ref y) {
  Keep(mode.Finalize("pointwise mode"));
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.Link(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, mode)
      .Link(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x->descriptor)
      .Link(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y->descriptor);
  if (b != nullptr) {
    operation.Link(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b->descriptor);
  }
  if (predicate != nullptr) {
    operation.Link(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, predicate->descriptor);
  }
  return AddOperation(std::move(mode), std::move(operation), "pointwise", y);
}

CudnnGraph::Ref CudnnGraph::AddOperation(CudnnDescriptor parameters,
                                         CudnnDescriptor operation,
                                         const char* what, Ref y) {
  Keep(operation.Finalize(std::string(what) + " operation"));
  parameters_.push_back(std::move(parameters));
  operations_.push_back(std::move(operation));
  return y;
}

void CudnnGraph::Keep(Status status) {
  if (status_.ok()) {
    status_ = std::move(status);
  }
}

Result<CudnnPlan> CudnnGraph::Build(const CudnnTarget& target) && {
  RETURN_IF_ERROR(status_);
  std::vector<cudnnBackendDescriptor_t> operations;
  for (const CudnnDescriptor& operation : operations_) {
    operations.push_back(operation.get());
  }
  CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
            static_cast<int64_t>(operations.size()), operations.data());
  if (target.handle != nullptr) {
    graph.Set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1,
              &target.handle);
  }
  RETURN_IF_ERROR(graph.Finalize("operation graph"));
  ASSIGN_OR_RETURN(const auto configurations, Configurations(graph, target));
  std::string why =
      "cuDNN offers no engine for this graph; CUDNN_LOGLEVEL_DBG=3 with "
      "CUDNN_LOGDEST_DBG=stderr tells why";
  for (const CudnnDescriptor& configuration : configurations) {
    Result<CudnnDescriptor> made = MakePlan(configuration, target);
    if (!made.ok()) {
      why = made.status().message();
      continue;
    }
    CudnnPlan plan;
    plan.configurations_ = static_cast<int>(configurations.size());
    ASSIGN_OR_RETURN(plan.engine_, EngineOf(configuration));
    int64_t count = 0;
    int64_t bytes = 0;
    RETURN_IF_ERROR(ToStatus(
        cudnnBackendGetAttribute(made->get(),
                                 CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                 CUDNN_TYPE_INT64, 1, &count, &bytes),
        "read the workspace's size"));
    plan.workspace_bytes_ = static_cast<size_t>(bytes);
    plan.plan_ = std::move(*made);
    plan.kept_.push_back(std::move(graph));
    plan.scalars_ = std::move(scalars_);
    return plan;
  }
  return UnimplementedError(why);
}

}  // namespace zs::gpu
