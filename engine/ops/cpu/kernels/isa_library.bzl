"""isa_library: sources compiled once for each instruction set of the target's architecture."""

load("@rules_cc//cc:defs.bzl", "cc_library")

# x86-64 levels: v3 has AVX2 and FMA, v4 AVX-512. On other architectures the baseline alone is built.
_X86_64 = {
    "avx2": "-march=x86-64-v3",
    "avx512": "-march=x86-64-v4",
}

# The same instructions and the same rounding whatever the language standard says of contraction; no flag that
# changes the value of an expression.
_COPTS = ["-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-Wno-psabi"]

def _one(name, isa, srcs, hdrs, copts):
    cc_library(
        name = name,
        srcs = srcs + hdrs,
        copts = _COPTS + copts,
        local_defines = ["ZS_ISA=" + isa],
        visibility = ["//visibility:private"],
    )

def isa_library(name, srcs, hdrs):
    """Compiles SRCS in the namespace generic, and on x86-64 in avx2 and avx512 too.

    HDRS are private headers. Sources may include no header that has code (templates, inline functions) of
    another namespace: the linker keeps one copy of such code, which may be the one for the widest set.
    """
    _one(name + "_generic", "generic", srcs, hdrs, [])
    for isa, march in _X86_64.items():
        _one(name + "_" + isa, isa, srcs, hdrs, [march, "-mprefer-vector-width=512"] if isa == "avx512" else [march])
    cc_library(
        name = name,
        visibility = ["//visibility:private"],
        deps = [":" + name + "_generic"] + select({
            "@bazel_tools//src/conditions:linux_x86_64": [":" + name + "_" + isa for isa in _X86_64],
            "//conditions:default": [],
        }),
    )
