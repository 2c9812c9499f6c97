#include "runner/supervise/outcome.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace zs {
namespace {

CleanupReceipt ReceiptOf(const std::optional<std::string>& processes) {
  CleanupReceipt receipt;
  receipt.verified = true;
  receipt.gpus_used = true;
  SetGpuLeft(processes, {100, 101}, receipt);
  return receipt;
}

TEST(CleanupReceiptTest, MemoryOfARankIsLeft) {
  const CleanupReceipt receipt = ReceiptOf("101, 500\n");
  EXPECT_EQ(receipt.gpu_left_bytes, int64_t{500} << 20);
  EXPECT_FALSE(receipt.left_nothing());
  EXPECT_FALSE(receipt.clean());
}

TEST(CleanupReceiptTest, NoProcessIsNoMemory) {
  EXPECT_EQ(ReceiptOf("").gpu_left_bytes, 0);
  EXPECT_TRUE(ReceiptOf("").clean());
}

// Each of them counted as no memory: a worker of torchrun's, a process as the
// host of a container numbers it, an amount that is not told, no answer at all.
TEST(CleanupReceiptTest, WhatNobodyKnowsIsNotClean) {
  for (const std::optional<std::string>& processes :
       {std::optional<std::string>("102, 500\n"),
        std::optional<std::string>("101, [N/A]\n"),
        std::optional<std::string>("No running processes found\n"),
        std::optional<std::string>()}) {
    const CleanupReceipt receipt = ReceiptOf(processes);
    EXPECT_FALSE(receipt.gpu_left_bytes.has_value());
    EXPECT_FALSE(receipt.clean());
    EXPECT_TRUE(receipt.left_nothing());
    EXPECT_NE(receipt.note.find("unknown"), std::string::npos) << receipt.note;
  }
}

TEST(CleanupReceiptTest, WithoutGpusNothingIsAskedOfThem) {
  CleanupReceipt receipt;
  receipt.verified = true;
  EXPECT_TRUE(receipt.clean());
}

}  // namespace
}  // namespace zs
