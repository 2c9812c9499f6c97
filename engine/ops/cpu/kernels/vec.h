// Vectors as wide as the instruction set that a file is compiled for, by the
// vector extensions that GCC and clang share. For files of isa_library alone:
// everything is in the namespace ZS_ISA, so that code for a wide instruction
// set cannot be linked into a narrow one's place.
#ifndef ENGINE_OPS_CPU_KERNELS_VEC_H_
#define ENGINE_OPS_CPU_KERNELS_VEC_H_

#include <cstdint>

#ifndef ZS_ISA
#error "compile this file through isa_library"
#endif

#define ZS_INLINE static inline __attribute__((always_inline))

namespace zs::ZS_ISA {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif

typedef float Vec __attribute__((vector_size(kLanes * 4)));
typedef uint32_t Bits __attribute__((vector_size(kLanes * 4)));
typedef int32_t Ints __attribute__((vector_size(kLanes * 4)));
typedef double HalfDoubles __attribute__((vector_size(kLanes * 4)));
typedef float HalfVec __attribute__((vector_size(kLanes * 2)));

ZS_INLINE Vec Load(const float* p) {
  Vec v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}

ZS_INLINE void Store(float* p, Vec v) {
  __builtin_memcpy(p, &v, sizeof(v));
}

// The first COUNT < kLanes elements; the others are 0.
ZS_INLINE Vec LoadPart(const float* p, int64_t count) {
  float lanes[kLanes] = {};
  for (int64_t i = 0; i < count; ++i) {
    lanes[i] = p[i];
  }
  return Load(lanes);
}

ZS_INLINE void StorePart(float* p, Vec v, int64_t count) {
  float lanes[kLanes];
  Store(lanes, v);
  for (int64_t i = 0; i < count; ++i) {
    p[i] = lanes[i];
  }
}

ZS_INLINE Vec All(float x) {
  return x - Vec{};
}

// The larger of each pair; where either is NaN, the first.
ZS_INLINE Vec Max(Vec a, Vec b) {
  return b > a ? b : a;
}

ZS_INLINE float Sum(Vec v) {
  float lanes[kLanes];
  Store(lanes, v);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) {
      lanes[i] += lanes[i + width];
    }
  }
  return lanes[0];
}

ZS_INLINE float MaxLane(Vec v) {
  float lanes[kLanes];
  Store(lanes, v);
  float result = lanes[0];
  for (int i = 1; i < kLanes; ++i) {
    result = lanes[i] > result ? lanes[i] : result;
  }
  return result;
}

// exp(x), within 2 ulp; 0 below -87.33 and infinite above 88.72, NaN for NaN.
// x = n ln 2 + r with |r| <= ln 2 / 2; exp(r) by its Taylor series, whose first
// term left out, r^8 / 8!, is below 6e-9.
ZS_INLINE Vec Exp(Vec x) {
  const Vec low = All(-87.33f), high = All(88.72f);
  Vec t = x < low ? low : x;
  t = t > high ? high : t;
  // Adding 1.5 x 2^23 leaves the nearest integer in the lowest bits.
  const Vec shift = All(12582912.0f);
  const Vec n = (t * All(1.44269504088896341f) + shift) - shift;
  // ln 2 in two parts, the first exact when multiplied by n.
  Vec r = t - n * All(0.693145751953125f);
  r = r - n * All(1.428606765330187e-6f);
  Vec p = All(1.0f / 5040);
  p = p * r + All(1.0f / 720);
  p = p * r + All(1.0f / 120);
  p = p * r + All(1.0f / 24);
  p = p * r + All(1.0f / 6);
  p = p * r + All(0.5f);
  p = p * r + All(1.0f);
  p = p * r + All(1.0f);
  // 2^n in two factors, since 2^128 is not a float.
  const Ints whole = __builtin_convertvector(n, Ints);
  const Ints half = whole >> 1;
  const Vec scale1 = (Vec)((Bits)(half + 127) << 23);
  const Vec scale2 = (Vec)((Bits)(whole - half + 127) << 23);
  const Vec result = p * scale1 * scale2;
  return x < low ? Vec{} : (x > high ? result * All(3.0e38f) : result);
}

// Calls body(offset, load, store) for [0, n) in vectors, the last one partial.
// LOAD(pointer) and STORE(pointer, vector) respect the part.
template <typename Body>
ZS_INLINE void ForVectors(int64_t n, const Body& body) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    body(
        i, [](const float* p) { return Load(p); },
        [](float* p, Vec v) { Store(p, v); });
  }
  if (i < n) {
    const int64_t count = n - i;
    body(
        i, [count](const float* p) { return LoadPart(p, count); },
        [count](float* p, Vec v) { StorePart(p, v, count); });
  }
}

}  // namespace zs::ZS_ISA

#endif  // ENGINE_OPS_CPU_KERNELS_VEC_H_
