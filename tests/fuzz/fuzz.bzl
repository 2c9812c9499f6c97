"""fuzz_target: an input-driven check that libFuzzer can drive.

With --config=fuzz (clang) the program NAME is a libFuzzer target; otherwise it
reads the files and folders that it is given once, and NAME_test does that with
the corpus in every `bazel test`.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

def _bool_flag_impl(_ctx):
    return []

bool_flag = rule(
    implementation = _bool_flag_impl,
    build_setting = config.bool(flag = True),
    doc = "A flag of the command line: --//package:name=true.",
)

def fuzz_target(name, src, corpus, deps):
    """A fuzz target.

    Args:
      name: of the program.
      src: a .cc file that defines LLVMFuzzerTestOneInput and no main.
      corpus: labels of files with inputs to start from.
      deps: what src uses.
    """
    cc_library(
        name = name + "_input",
        testonly = True,
        srcs = [src],
        alwayslink = True,
        deps = deps,
    )
    cc_binary(
        name = name,
        testonly = True,
        linkopts = select({
            "//tests/fuzz:with_libfuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = [":" + name + "_input"] + select({
            "//tests/fuzz:with_libfuzzer": [],
            "//conditions:default": ["//tests/fuzz:replay_main"],
        }),
    )
    cc_test(
        name = name + "_test",
        size = "small",
        args = ["$(locations %s)" % label for label in corpus],
        data = corpus,
        deps = [
            ":" + name + "_input",
            "//tests/fuzz:replay_main",
        ],
    )
