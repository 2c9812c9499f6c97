#!/usr/bin/env python3
"""Fails where a dependency runs against the arrows of docs/architecture.md.

base <- everyone; engine -> base; results -> base; runner -> engine/api, results, base.
"""
import subprocess
import sys

# (from, to): no path may lead from the first to the second.
FORBIDDEN = [
    ("//base/...", "//engine/... + //results/... + //runner/..."),
    ("//engine/...", "//results/... + //runner/..."),
    ("//results/...", "//engine/... + //runner/..."),
    ("//runner/...", "//engine/... - //engine/api/..."),
]


def main():
    broken = 0
    for start, end in FORBIDDEN:
        # Programs that the runner carries as data are no code dependency.
        query = f"somepath(kind('cc_library', {start}), kind('cc_library', {end}))"
        result = subprocess.run(["bazel", "query", "--noshow_progress", query], capture_output=True, text=True)
        if result.returncode != 0:
            print(result.stderr, file=sys.stderr)
            return 1
        if result.stdout.strip():
            broken += 1
            print(f"arrow broken, {start} must not reach {end}:\n{result.stdout}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
