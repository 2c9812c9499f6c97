#include "engine/cuda/attention/cudnn_graph.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs::gpu {
namespace {

// What the own kernels take over for; anything else ends the training.
TEST(CudnnStatusTest, AllThatIsNotSupportedIsUnimplemented) {
  for (const cudnnStatus_t status :
       {CUDNN_STATUS_NOT_SUPPORTED, CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN,
        CUDNN_STATUS_NOT_SUPPORTED_SHAPE, CUDNN_STATUS_NOT_SUPPORTED_LAYOUT,
        CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING}) {
    EXPECT_STATUS(ToStatus(status, "ask for engines"),
                  StatusCode::kUnimplemented, "cuDNN: ask for engines: ");
  }
}

TEST(CudnnStatusTest, OtherErrorsAreNot) {
  EXPECT_OK(ToStatus(CUDNN_STATUS_SUCCESS, "run"));
  EXPECT_STATUS(ToStatus(CUDNN_STATUS_NOT_INITIALIZED, "set up"),
                StatusCode::kUnavailable, "set up");
  EXPECT_STATUS(ToStatus(CUDNN_STATUS_BAD_PARAM, "run"), StatusCode::kInternal,
                "run");
  EXPECT_STATUS(ToStatus(CUDNN_STATUS_EXECUTION_FAILED, "run"),
                StatusCode::kInternal, "run");
}

}  // namespace
}  // namespace zs::gpu
