"""Texts within programs."""

load("@rules_cc//cc:defs.bzl", "cc_library")

def embedded_text(name, src, symbol, visibility = None):
    """A library whose header NAME.h declares SYMBOL, the text of SRC, in zs::results.

    Args:
      name: of the library and its header
      src: the file
      symbol: a std::string_view
      visibility: of the library
    """
    header = "%s/%s.h" % (native.package_name(), name)
    native.genrule(
        name = name + "_source",
        srcs = [src],
        outs = [
            name + ".h",
            name + ".cc",
        ],
        cmd = """
            (echo '#pragma once'
             echo '#include <string_view>'
             echo 'namespace zs::results {{'
             echo 'extern const std::string_view {symbol};'
             echo '}}  // namespace zs::results') > $(location {name}.h)
            (echo '#include "{header}"'
             echo 'const std::string_view zs::results::{symbol} = R"embedded('
             cat $(location {src})
             echo ')embedded";') > $(location {name}.cc)
        """.format(symbol = symbol, name = name, header = header, src = src),
    )
    cc_library(
        name = name,
        srcs = [name + ".cc"],
        hdrs = [name + ".h"],
        visibility = visibility,
    )
