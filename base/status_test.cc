#include "base/status.h"

#include <cerrno>
#include <memory>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

Result<int> Half(int n) {
  if (n % 2 != 0) {
    return InvalidArgumentError("odd");
  }
  return n / 2;
}

Result<int> Quarter(int n) {
  ASSIGN_OR_RETURN(const int half, Half(n));
  ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

Status CheckEven(int n) {
  RETURN_IF_ERROR(Half(n));
  return OkStatus();
}

TEST(StatusTest, DefaultIsOk) {
  EXPECT_OK(Status());
  EXPECT_EQ(Status().ToString(), "OK");
}

TEST(StatusTest, ContextComesBeforeTheMessageAndKeepsTheCode) {
  const Status status = NotFoundError("no file").WithContext("data.paths[0]");
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.ToString(), "NOT_FOUND: data.paths[0]: no file");
  EXPECT_OK(OkStatus().WithContext("x"));
}

TEST(StatusTest, ErrnoIsNamedAndClassified) {
  EXPECT_EQ(ErrnoError(ENOSPC, "write x"),
            Status(StatusCode::kResourceExhausted,
                   "write x: No space left on device"));
  EXPECT_EQ(ErrnoError(ENOENT, "open").code(), StatusCode::kNotFound);
}

TEST(ResultTest, MacrosPassValuesAndErrorsOn) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_STATUS(Quarter(6), StatusCode::kInvalidArgument, "odd");
  EXPECT_STATUS(CheckEven(3), StatusCode::kInvalidArgument, "odd");
  EXPECT_OK(CheckEven(4));
}

TEST(ResultTest, HoldsMoveOnlyValues) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  ASSERT_OK(result);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(ResultTest, OkStatusWithoutValueIsAnError) {
  EXPECT_EQ(Result<int>(OkStatus()).status().code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace zs
