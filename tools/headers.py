#!/usr/bin/env python3
"""Compiles headers alone: a header includes all that it uses.

  tools/headers.py         those that changed since $BASE (HEAD~1)
  tools/headers.py --all   all of them (minutes)

Bazel's parse_headers does nothing in 4.2.3, so this asks GCC.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys


# Compiled once for each instruction set, through isa_library alone.
NOT_ALONE = ("engine/ops/cpu/kernels/",)


def git(*words):
    return subprocess.run(["git", *words, "--", "*.h"], capture_output=True, text=True, check=True).stdout.splitlines()


def headers(everything):
    found = git("ls-files", "--others", "--exclude-standard")
    if everything:
        found += git("ls-files")
    else:
        found += git("diff", "--name-only", os.environ.get("BASE", "HEAD~1"))
    return sorted({header for header in found if os.path.exists(header) and not header.startswith(NOT_ALONE)})


def include_flags():
    base = subprocess.run(["bazel", "info", "output_base"], capture_output=True, text=True, check=True).stdout.strip()
    external = pathlib.Path(base) / "external"
    flags = ["-I."]
    for repository in ("system", "cuda"):
        flags += [f"-isystem{path}" for path in sorted((external / repository).glob("*/include"))]
    return flags


def check(header, flags):
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-x", "c++", *flags, header]
    result = subprocess.run(command, capture_output=True, text=True)
    return header, result.returncode, result.stderr


def main():
    flags = include_flags()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, status, errors in pool.map(lambda h: check(h, flags), headers("--all" in sys.argv)):
            if status:
                failed += 1
                print(f"{header} does not compile alone:\n{errors}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
