#!/usr/bin/env python3
"""Compiles each header alone: a header includes all that it uses.

Bazel's parse_headers does nothing in 4.2.3, so this asks GCC.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys


def git_headers():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.h"]
    return [line for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines() if os.path.exists(line)]


def include_flags():
    base = subprocess.run(["bazel", "info", "output_base"], capture_output=True, text=True, check=True).stdout.strip()
    external = pathlib.Path(base) / "external"
    flags = ["-I."]
    for repository in ("system", "cuda"):
        flags += [f"-isystem{path}" for path in sorted((external / repository).glob("*/include"))]
    return flags


def check(header, flags):
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-pragma-once-outside-header", "-x", "c++", *flags, header]
    result = subprocess.run(command, capture_output=True, text=True)
    return header, result.returncode, result.stderr


def main():
    flags = include_flags()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, status, errors in pool.map(lambda h: check(h, flags), git_headers()):
            if status:
                failed += 1
                print(f"{header} does not compile alone:\n{errors}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
