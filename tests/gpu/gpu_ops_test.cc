// Compares every operator with a reference in double precision on the current
// GPU: gpu_ops_test [PART OF A CASE'S NAME]. Prints failures, then
// "N passed, N failed"; exits with 0 where all passed, 1 where one failed.
#include <cstdio>

#include "tests/gpu/suite.h"

int main(int argc, char** argv) {
  zs::gpu::Suite suite(argc > 1 ? argv[1] : "");
  const zs::Status status = suite.Start();
  if (!status.ok()) {
    std::fprintf(stderr, "no GPU to test on: %s\n", status.message().c_str());
    return 3;
  }
  zs::gpu::RunActivationCases(suite);
  zs::gpu::RunNormCases(suite);
  zs::gpu::RunRopeCases(suite);
  zs::gpu::RunLossCases(suite);
  zs::gpu::RunEmbeddingCases(suite);
  zs::gpu::RunOptimizerCases(suite);
  zs::gpu::RunGemmCases(suite);
  zs::gpu::RunAttentionCases(suite);
  return suite.Finish();
}
