#include "engine/ops/cpu/blas.h"

#include <dnnl.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

// Of libgomp, whose threads oneDNN would use. (omp.h belongs to the compiler,
// and clang's comes with another run time.)
extern "C" void omp_set_num_threads(int threads);

namespace zs {
namespace {

// Tiles are multiples of this in both directions, to suit the library's own
// blocks.
constexpr int64_t kTile = 48;

// oneDNN computes on the thread that calls it: parallelism is the pool's.
void UseCallingThreadAlone() {
  thread_local const bool done = [] {
    omp_set_num_threads(1);
    return true;
  }();
  (void)done;
}

int64_t CeilDiv(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// How C is cut: `rows` x `cols` tiles.
struct Grid {
  int64_t rows = 1;
  int64_t cols = 1;
};

// As many tiles as threads, as nearly square as may be: each tile packs its own
// share of A and B, which is work beside the product.
Grid ChooseGrid(const MatrixProduct& p, int threads) {
  Grid best;
  double best_cost = 0;
  for (int64_t rows = 1; rows <= threads; ++rows) {
    const int64_t cols = threads / rows;
    const double m = static_cast<double>(CeilDiv(p.m, rows));
    const double n = static_cast<double>(CeilDiv(p.n, cols));
    // Multiplications of a tile, and its packing at 16 an element.
    const double cost = m * n + 16 * (m + n);
    if (rows == 1 || cost < best_cost) {
      best = {rows, cols};
      best_cost = cost;
    }
  }
  return best;
}

MatrixProduct TileOf(const MatrixProduct& p, int64_t row, int64_t rows,
                     int64_t col, int64_t cols) {
  MatrixProduct tile = p;
  tile.m = rows;
  tile.n = cols;
  tile.a += p.a_transposed ? row : row * p.a_stride;
  tile.b += p.b_transposed ? col * p.b_stride : col;
  tile.c += row * p.c_stride + col;
  return tile;
}

}  // namespace

void Multiply(const MatrixProduct& p) {
  UseCallingThreadAlone();
  // All arguments are right by construction; out of memory for packing is the
  // one failure left, and nothing could go on after it.
  if (dnnl_sgemm(p.a_transposed ? 'T' : 'N', p.b_transposed ? 'T' : 'N', p.m,
                 p.n, p.k, p.alpha, p.a, p.a_stride, p.b, p.b_stride, p.beta,
                 p.c, p.c_stride) != dnnl_success) {
    std::abort();
  }
}

void Multiply(const MatrixProduct& p, ThreadPool& pool) {
  const Grid grid = ChooseGrid(p, pool.threads());
  const int64_t tile_m = CeilDiv(CeilDiv(p.m, grid.rows), kTile) * kTile;
  const int64_t tile_n = CeilDiv(CeilDiv(p.n, grid.cols), kTile) * kTile;
  const int64_t rows = CeilDiv(p.m, tile_m);
  const int64_t cols = CeilDiv(p.n, tile_n);
  pool.Run(rows * cols, [&](int64_t task, int) {
    const int64_t row = task / cols * tile_m;
    const int64_t col = task % cols * tile_n;
    Multiply(TileOf(p, row, std::min(tile_m, p.m - row), col,
                    std::min(tile_n, p.n - col)));
  });
}

Status CheckBlas() {
  constexpr int64_t kM = 37, kN = 53, kK = 71;
  std::vector<float> a(kM * kK), b(kN * kK), c(kM * kN, -1);
  for (int64_t i = 0; i < kM * kK; ++i) {
    a[i] = static_cast<float>(i * 7 % 13 - 6);
  }
  for (int64_t i = 0; i < kN * kK; ++i) {
    b[i] = static_cast<float>(i * 5 % 11 - 5);
  }
  Multiply({.b_transposed = true,
            .m = kM,
            .n = kN,
            .k = kK,
            .a = a.data(),
            .a_stride = kK,
            .b = b.data(),
            .b_stride = kK,
            .c = c.data(),
            .c_stride = kN});
  for (int64_t i = 0; i < kM * kN; ++i) {
    float expected = 0;
    for (int64_t j = 0; j < kK; ++j) {
      expected += a[i / kN * kK + j] * b[i % kN * kK + j];
    }
    if (c[i] != expected) {
      return UnavailableError(BlasName() + ": element " + std::to_string(i) +
                              " of a product is " + std::to_string(c[i]) +
                              " instead of " + std::to_string(expected) +
                              "; the library has no right kernel for this CPU");
    }
  }
  return OkStatus();
}

std::string BlasName() {
  const dnnl_version_t* version = dnnl_version();
  return "oneDNN " + std::to_string(version->major) + "." +
         std::to_string(version->minor) + "." + std::to_string(version->patch);
}

}  // namespace zs
