#include "gtest/gtest.h"
#include "runner/plan/eval/eval_child.h"

int main(int argc, char** argv) {
  if (zs::IsEvalChild(argc, argv)) {
    return zs::EvalChildMain();
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
