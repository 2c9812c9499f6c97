// Assertions on Status and Result for GoogleTest.
#ifndef BASE_STATUS_MATCHERS_H_
#define BASE_STATUS_MATCHERS_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "gtest/gtest.h"

namespace zs::testing {

template <typename T>
::testing::AssertionResult IsOk(const T& value) {
  const Status& status = internal::ToStatus(value);
  if (status.ok()) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << status.ToString();
}

// Success where VALUE's code is CODE and its message contains PART.
template <typename T>
::testing::AssertionResult HasStatus(const T& value, StatusCode code,
                                     std::string_view part) {
  const Status& status = internal::ToStatus(value);
  if (status.code() == code &&
      status.message().find(part) != std::string::npos) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << "got " << status.ToString() << "\nwant " << StatusCodeName(code)
         << " with \"" << part << '"';
}

}  // namespace zs::testing

#define EXPECT_OK(expression) EXPECT_TRUE(::zs::testing::IsOk(expression))
#define ASSERT_OK(expression) ASSERT_TRUE(::zs::testing::IsOk(expression))
#define EXPECT_STATUS(expression, code, part) \
  EXPECT_TRUE(::zs::testing::HasStatus(expression, code, part))

#endif  // BASE_STATUS_MATCHERS_H_
