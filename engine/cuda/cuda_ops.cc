#include "engine/cuda/cuda_ops.h"

#include <algorithm>
#include <utility>

#include "engine/cuda/cuda_ops_impl.h"
#include "engine/cuda/kernels/column_sum.h"
#include "engine/cuda/kernels/elementwise.h"
#include "engine/cuda/kernels/optimizer.h"

namespace zs::gpu {

namespace {

// How many GPUs there are; the error says what the driver lacks.
Result<int> CountGpus() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorNoDevice) {
    return 0;
  }
  if (error != cudaErrorInsufficientDriver) {
    RETURN_IF_ERROR(ToStatus(error, "count the GPUs"));
    return count;
  }
  int driver = 0;
  int runtime = 0;
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  if (driver == 0) {
    return UnavailableError(
        "no NVIDIA driver is loaded; see nvidia-smi, or start the container "
        "with its GPUs");
  }
  return UnavailableError(
      "the NVIDIA driver supports CUDA " + std::to_string(driver / 1000) + "." +
      std::to_string(driver % 1000 / 10) + ", this program needs " +
      std::to_string(runtime / 1000) + "." +
      std::to_string(runtime % 1000 / 10) + "; install a newer driver");
}

}  // namespace

Result<std::unique_ptr<CudaOps>> CudaOpsImpl::Create(
    const CudaOpsOptions& options) {
  ASSIGN_OR_RETURN(const int count, CountGpus());
  if (options.device >= count) {
    return UnavailableError("GPU " + std::to_string(options.device) +
                            " is asked for, but this host shows " +
                            std::to_string(count) +
                            "; start fewer ranks on it, or look at "
                            "CUDA_VISIBLE_DEVICES");
  }
  ZS_RETURN_IF_CUDA_ERROR(cudaSetDevice(options.device));
  auto ops = std::make_unique<CudaOpsImpl>();
  ops->deterministic_ = options.deterministic;
  ASSIGN_OR_RETURN(ops->stream_, Stream::Create());
  ASSIGN_OR_RETURN(ops->sum_,
                   DeviceBuffer::Create(kSumScratch * sizeof(double), "sums"));
  GemmOptions gemm;
  gemm.tune = !options.deterministic;
  gemm.cache_path = options.deterministic ? "" : options.gemm_cache_path;
  ASSIGN_OR_RETURN(ops->gemms_, Gemms::Create(gemm));
  ASSIGN_OR_RETURN(ops->attention_, AttentionRunner::Create(
                                        options.deterministic, ops->stream()));
  return std::unique_ptr<CudaOps>(std::move(ops));
}

void* CudaOpsImpl::Scratch(int64_t bytes) {
  Keep(scratch_.Grow(static_cast<size_t>(bytes), "scratch of an operator"));
  return scratch_.data();
}

Result<void*> CudaOpsImpl::Allocate(int64_t bytes) {
  void* data = nullptr;
  const cudaError_t error =
      cudaMalloc(&data, static_cast<size_t>(std::max<int64_t>(bytes, 1)));
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();  // it would show at the next launch
    size_t free = 0;
    size_t total = 0;
    (void)cudaMemGetInfo(&free, &total);
    return ResourceExhaustedError("GPU memory: " + std::to_string(bytes) +
                                  " bytes asked for, " + std::to_string(free) +
                                  " of " + std::to_string(total) +
                                  " free. A smaller train.micro_batch, "
                                  "train.recompute or a higher "
                                  "train.zero_stage needs less");
  }
  RETURN_IF_ERROR(ToStatus(error, "allocate GPU memory"));
  return data;
}

Result<void*> CudaOpsImpl::AllocatePinned(int64_t bytes) {
  ASSIGN_OR_RETURN(PinnedBuffer data,
                   gpu::AllocatePinned(static_cast<size_t>(bytes)));
  return data.release();
}

void CudaOpsImpl::Upload(const void* source, void* device, int64_t bytes) {
  if (bytes <= static_cast<int64_t>(UploadRing::kMaxBytes)) {
    Keep(uploads_.Upload(source, device, static_cast<size_t>(bytes), stream()));
    return;
  }
  // From pageable memory the source has been read when this returns.
  Keep(ToStatus(cudaMemcpyAsync(device, source, static_cast<size_t>(bytes),
                                cudaMemcpyHostToDevice, stream()),
                "upload"));
}

Status CudaOpsImpl::Download(const void* device, void* target, int64_t bytes) {
  ZS_RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(target, device,
                                          static_cast<size_t>(bytes),
                                          cudaMemcpyDeviceToHost, stream()));
  return stream_.Wait();
}

void CudaOpsImpl::Fetch(const void* device, void* pinned, int64_t bytes) {
  Keep(ToStatus(cudaMemcpyAsync(pinned, device, static_cast<size_t>(bytes),
                                cudaMemcpyDeviceToHost, stream()),
                "fetch"));
}

void CudaOpsImpl::Zero(const Tensor& x) {
  const auto size = static_cast<size_t>(SizeOf(x.dtype));
  if (x.rows <= 1 || x.stride == x.cols) {
    Keep(ToStatus(cudaMemsetAsync(x.data, 0, x.rows * x.cols * size, stream()),
                  "zero"));
    return;
  }
  Keep(ToStatus(cudaMemset2DAsync(x.data, x.stride * size, 0, x.cols * size,
                                  x.rows, stream()),
                "zero"));
}

void CudaOpsImpl::Convert(const Tensor& from, const Tensor& to) {
  Keep(LaunchCopy({from.data, from.dtype}, 1.0f, {to.data, to.dtype},
                  from.rows * from.cols, stream()));
}

Status CudaOpsImpl::Finish() {
  Keep(stream_.Wait());
  return std::exchange(status_, OkStatus());
}

int64_t CudaOpsImpl::Mark() {
  const Result<int64_t> mark = marks_.Add(stream());
  Keep(mark.status());
  return mark.ok() ? *mark : -1;
}

double CudaOpsImpl::MsBetween(int64_t begin, int64_t end) {
  const Result<float> ms = marks_.MsBetween(begin, end);
  Keep(ms.status());
  return ms.ok() ? *ms : 0;
}

Status CudaOpsImpl::WaitFor(int64_t mark) {
  Keep(marks_.Wait(mark));
  return std::exchange(status_, OkStatus());
}

int64_t CudaOpsImpl::device_bytes_in_use() const {
  size_t free = 0;
  size_t total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess
             ? static_cast<int64_t>(total - free)
             : 0;
}

void CudaOpsImpl::Linear(const Tensor& x, const Tensor& w, const Tensor& bias,
                         const Tensor& residual, const Tensor& y) {
  GemmShape shape = ForwardShape(x.rows, x.cols, w.rows);
  shape.a_stride = x.stride;
  shape.b_stride = w.stride;
  shape.d_stride = y.stride;
  shape.beta = residual.present() ? 1.0f : 0.0f;
  shape.epilogue = bias.present() ? Epilogue::kBias : Epilogue::kNone;
  Keep(gemms_->Run(shape,
                   {.a = Data(x),
                    .b = Data(w),
                    .c = residual.data,
                    .d = y.data,
                    .bias = Data(bias)},
                   stream()));
}

void CudaOpsImpl::LinearBackwardInput(const Tensor& dy, const Tensor& w,
                                      const Tensor& dx) {
  GemmShape shape = InputGradShape(dy.rows, w.cols, w.rows);
  shape.a_stride = dy.stride;
  shape.b_stride = w.stride;
  shape.d_stride = dx.stride;
  Keep(gemms_->Run(shape, {.a = Data(dy), .b = Data(w), .d = dx.data},
                   stream()));
}

void CudaOpsImpl::LinearBackwardWeight(const Tensor& dy, const Tensor& x,
                                       const Tensor& dw, const Tensor& dbias) {
  GemmShape shape =
      WeightGradShape(dy.rows, x.cols, dy.cols, dw.dtype, add_gradients_);
  shape.a_stride = dy.stride;
  shape.b_stride = x.stride;
  shape.d_stride = dw.stride;
  Keep(gemms_->Run(shape,
                   {.a = Data(dy), .b = Data(x), .c = dw.data, .d = dw.data},
                   stream()));
  if (dbias.present()) {
    BiasGradient(dy, dbias);
  }
}

void CudaOpsImpl::BiasGradient(const Tensor& dy, const Tensor& dbias) {
  Keep(LaunchBiasGrad({.dy = Data(dy),
                       .rows = dy.rows,
                       .columns = dy.cols,
                       .dbias = GradOf(dbias),
                       .scratch = Floats(BiasGradScratch(dy.cols))},
                      stream()));
}

void CudaOpsImpl::AdamW(const AdamWStep& step, const AdamWRange& range) {
  gpu::AdamW args;
  args.master = range.parameters;
  args.m = range.m;
  args.v = range.v;
  args.grad = range.gradients;
  args.parameters = static_cast<Bf16*>(range.rounded);
  args.size = range.size;
  args.step = step.step;
  args.lr = step.lr;
  args.beta1 = step.beta1;
  args.beta2 = step.beta2;
  args.eps = step.eps;
  args.weight_decay = step.weight_decay;
  args.scale = step.gradient_scale;
  Keep(LaunchAdamW(args, stream()));
}

void CudaOpsImpl::SquaredNorm(const float* x, int64_t size, double* out) {
  Keep(LaunchSum(
      {.x = x, .size = size, .out = out, .scratch = sum_.as<double>()},
      stream()));
}

void CudaOpsImpl::AddMean(const float* x, int64_t size, double* out) {
  Keep(LaunchSum({.x = x,
                  .size = size,
                  .squares = false,
                  .add = true,
                  .scale = 1.0 / static_cast<double>(size),
                  .out = out,
                  .scratch = sum_.as<double>()},
                 stream()));
}

void CudaOpsImpl::SumStep(const double* parts, int ranks, int64_t each,
                          double max_norm, StepSums* out) {
  Keep(LaunchSumStep({.parts = parts,
                      .ranks = ranks,
                      .each = each,
                      .max_norm = max_norm,
                      .out = out},
                     stream()));
}

Result<std::unique_ptr<CudaOps>> MakeCudaOps(const CudaOpsOptions& options) {
  return CudaOpsImpl::Create(options);
}

}  // namespace zs::gpu
