#include "engine/cuda/blas/gemm_plan.h"

#include <utility>

namespace zs::gpu {
namespace {

template <typename T>
Status Set(const CublasOperation& op, cublasLtMatmulDescAttributes_t name,
           const T& value) {
  return ToStatus(
      cublasLtMatmulDescSetAttribute(op.get(), name, &value, sizeof value),
      "set an attribute");
}

// A row-major matrix is, to cuBLASLt, the column-major transposed one.
Result<CublasMatrix> MakeMatrix(cudaDataType_t type, int64_t rows,
                                int64_t columns, int64_t stride) {
  cublasLtMatrixLayout_t layout = nullptr;
  RETURN_IF_ERROR(ToStatus(
      cublasLtMatrixLayoutCreate(&layout, type, static_cast<uint64_t>(columns),
                                 static_cast<uint64_t>(rows), stride),
      "make a layout"));
  return CublasMatrix(layout);
}

cublasLtEpilogue_t EpilogueOf(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::kNone:
      return CUBLASLT_EPILOGUE_DEFAULT;
    case Epilogue::kBias:
      return CUBLASLT_EPILOGUE_BIAS;
    case Epilogue::kGelu:
      return CUBLASLT_EPILOGUE_GELU_AUX;
    case Epilogue::kGeluBias:
      return CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    case Epilogue::kDGelu:
      return CUBLASLT_EPILOGUE_DGELU;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

bool UsesBias(Epilogue epilogue) {
  return epilogue == Epilogue::kBias || epilogue == Epilogue::kGeluBias;
}

bool UsesAux(Epilogue epilogue) {
  return epilogue == Epilogue::kGelu || epilogue == Epilogue::kGeluBias ||
         epilogue == Epilogue::kDGelu;
}

Result<CublasOperation> MakeOperation(const GemmShape& shape) {
  cublasLtMatmulDesc_t raw = nullptr;
  RETURN_IF_ERROR(
      ToStatus(cublasLtMatmulDescCreate(&raw, CUBLAS_COMPUTE_32F, CUDA_R_32F),
               "make a product"));
  CublasOperation op(raw);
  const cublasOperation_t first =
      shape.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t second =
      shape.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  RETURN_IF_ERROR(Set(op, CUBLASLT_MATMUL_DESC_TRANSA, first));
  RETURN_IF_ERROR(Set(op, CUBLASLT_MATMUL_DESC_TRANSB, second));
  RETURN_IF_ERROR(
      Set(op, CUBLASLT_MATMUL_DESC_EPILOGUE, EpilogueOf(shape.epilogue)));
  if (UsesBias(shape.epilogue)) {
    RETURN_IF_ERROR(Set(op, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, CUDA_R_16BF));
  }
  if (UsesAux(shape.epilogue)) {
    RETURN_IF_ERROR(
        Set(op, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, shape.d_stride));
  }
  return op;
}

Status SetAlignment(cublasLtMatmulPreference_t preference, uint32_t bytes) {
  for (const auto name : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    RETURN_IF_ERROR(ToStatus(cublasLtMatmulPreferenceSetAttribute(
                                 preference, name, &bytes, sizeof bytes),
                             "set an alignment"));
  }
  return OkStatus();
}

}  // namespace

Status ToStatus(cublasStatus_t status, const std::string& what) {
  if (status == CUBLAS_STATUS_SUCCESS) {
    return OkStatus();
  }
  const StatusCode code =
      status == CUBLAS_STATUS_NOT_SUPPORTED     ? StatusCode::kUnimplemented
      : status == CUBLAS_STATUS_NOT_INITIALIZED ? StatusCode::kUnavailable
                                                : StatusCode::kInternal;
  return {code, "cuBLASLt: " + what + ": " + cublasLtGetStatusString(status)};
}

Result<GemmPlan> MakeGemmPlan(const GemmShape& shape) {
  GemmPlan plan;
  ASSIGN_OR_RETURN(plan.operation, MakeOperation(shape));
  ASSIGN_OR_RETURN(
      plan.second,
      MakeMatrix(CUDA_R_16BF, shape.a_transposed ? shape.k : shape.m,
                 shape.a_transposed ? shape.m : shape.k, shape.a_stride));
  ASSIGN_OR_RETURN(
      plan.first,
      MakeMatrix(CUDA_R_16BF, shape.b_transposed ? shape.n : shape.k,
                 shape.b_transposed ? shape.k : shape.n, shape.b_stride));
  ASSIGN_OR_RETURN(
      plan.out,
      MakeMatrix(shape.d_type == DType::kF32 ? CUDA_R_32F : CUDA_R_16BF,
                 shape.m, shape.n, shape.d_stride));
  return plan;
}

Status BindEpilogue(const GemmShape& shape, const GemmData& data,
                    const GemmPlan& plan) {
  const CublasOperation& op = plan.operation;
  if (UsesBias(shape.epilogue)) {
    RETURN_IF_ERROR(Set(op, CUBLASLT_MATMUL_DESC_BIAS_POINTER, data.bias));
  }
  if (UsesAux(shape.epilogue)) {
    RETURN_IF_ERROR(
        Set(op, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, data.aux));
  }
  return OkStatus();
}

uint32_t AlignmentOf(const GemmShape& shape, const GemmData& data) {
  const auto address = [](const void* p) {
    return reinterpret_cast<uintptr_t>(p);
  };
  uintptr_t bits = address(data.a) | address(data.b) | address(data.d) | 16;
  if (shape.beta != 0.0f) {
    bits |= address(data.c);
  }
  if (UsesBias(shape.epilogue)) {
    bits |= address(data.bias);
  }
  if (UsesAux(shape.epilogue)) {
    bits |= address(data.aux);
  }
  return static_cast<uint32_t>(bits & -bits);
}

Result<CublasPreference> MakePreference(uint64_t workspace_bytes,
                                        uint32_t alignment) {
  cublasLtMatmulPreference_t raw = nullptr;
  RETURN_IF_ERROR(
      ToStatus(cublasLtMatmulPreferenceCreate(&raw), "make a preference"));
  CublasPreference preference(raw);
  RETURN_IF_ERROR(SetAlignment(raw, alignment));
  RETURN_IF_ERROR(ToStatus(cublasLtMatmulPreferenceSetAttribute(
                               raw, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                               &workspace_bytes, sizeof workspace_bytes),
                           "limit the workspace"));
  return preference;
}

}  // namespace zs::gpu
