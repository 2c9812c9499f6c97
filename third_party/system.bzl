"""@system: the libraries that come from Debian's development packages.

Each target links its headers into a folder of its own, so that a package's upgrade rebuilds what uses it. (With
new_local_repository on /usr the compiler finds the headers under /usr/include, which Bazel never looks at again.)
"""

def _lib(package, headers, libraries = [], linkopts = [], deps = []):
    return struct(package = package, headers = headers, libraries = libraries, linkopts = linkopts, deps = deps)

# A header may be a folder. A library is linked as its .a, of which a program holds only what it uses and at whose start
# nothing is looked for; where that needs what Debian has no package of, or there is none, as its .so.
_LIBRARIES = {
    "archive": _lib("libarchive-dev", ["archive.h", "archive_entry.h"], ["libarchive.a"], deps = ["zstd"]),
    "cli11": _lib("libcli11-dev", ["CLI"]),
    "dnnl": _lib("libdnnl-dev", ["dnnl.h", "dnnl_config.h", "oneapi"], ["libdnnl.so"], ["-l:libgomp.so.1"]),
    "event": _lib("libevent-dev", ["event2"], ["libevent_extra.a", "libevent_core.a"]),
    "gloo": _lib("libgloo-dev", ["gloo"], ["libgloo.so"], ["-lpthread"]),
    "gmock": _lib("libgmock-dev", ["gmock"], ["libgmock.a"], deps = ["gtest"]),
    "gmock_main": _lib("libgmock-dev", [], ["libgmock_main.a"], deps = ["gmock"]),
    "gtest": _lib("libgtest-dev", ["gtest"], ["libgtest.a"], ["-lpthread"]),
    "gtest_main": _lib("libgtest-dev", [], ["libgtest_main.a"], deps = ["gtest"]),
    "json": _lib("nlohmann-json3-dev", ["nlohmann"]),
    "jsonnet": _lib("libjsonnet-dev", ["libjsonnet++.h", "libjsonnet.h"], ["libjsonnet++.so", "libjsonnet.so"]),
    "nettle": _lib("nettle-dev", ["nettle"], ["libnettle.a"]),
    "re2": _lib("libre2-dev", ["re2"], ["libre2.a"], ["-lpthread"]),
    "sqlite3": _lib("libsqlite3-dev", ["sqlite3.h"], ["libsqlite3.a"], ["-lm", "-lpthread", "-ldl"]),
    "z": _lib("zlib1g-dev", ["zlib.h", "zconf.h"], ["libz.a"]),
    "zstd": _lib("libzstd-dev", ["zstd.h", "zstd_errors.h"], ["libzstd.a"]),
}

# Files of a package that the build puts into our programs: where they lie under /usr/share.
_FILES = {
    "libjs-d3": "javascript/d3/d3.min.js",
}

_TRIPLES = ["", "/x86_64-linux-gnu", "/aarch64-linux-gnu"]

_BUILD = """
cc_library(
    name = "{name}",
    srcs = {libraries},
    hdrs = glob(["{name}/include/**"]),
    includes = ["{name}/include"],
    linkopts = {linkopts},
    deps = {deps},
)
"""

def _link(ctx, kind, path, folder):
    """Links /usr/KIND[/TRIPLE]/PATH into FOLDER under its last name; False where it is not there."""
    for triple in _TRIPLES:
        found = ctx.path("/usr/%s%s/%s" % (kind, triple, path))
        if found.exists:
            ctx.symlink(found, "%s/%s" % (folder, found.basename))
            return True
    return False

def _system_libraries_impl(ctx):
    build = 'package(default_visibility = ["//visibility:public"])\n'
    missing = []
    for name, lib in _LIBRARIES.items():
        found = [_link(ctx, "include", header, name + "/include") for header in lib.headers]
        found += [_link(ctx, "lib", library, name + "/lib") for library in lib.libraries]
        if not all(found) and lib.package not in missing:
            missing.append(lib.package)
        build += _BUILD.format(
            name = name,
            libraries = ["%s/lib/%s" % (name, library.split("/")[-1]) for library in lib.libraries],
            linkopts = lib.linkopts,
            deps = [":" + dep for dep in lib.deps],
        )
    for package, path in _FILES.items():
        file = ctx.path("/usr/share/" + path)
        if file.exists:
            ctx.symlink(file, file.basename)
        else:
            missing.append(package)
        build += 'exports_files(["%s"])\n' % file.basename
    if missing:
        fail("Missing packages. On Debian: apt-get install --no-install-recommends " + " ".join(missing))
    ctx.file("BUILD", build, executable = False)

system_libraries = repository_rule(
    implementation = _system_libraries_impl,
    local = True,
)
