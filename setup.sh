#!/bin/sh
# Installs what zerosweep is built from and tested with: Debian or Ubuntu
# packages, nothing else. Safe to run again: what is there is left alone.
#   ./setup.sh [PACKAGE...]    these too (CI adds an ssh server for its tests)
set -eu

packages="
  bazel-bootstrap bazel-rules-cc bazel-rules-java bazel-rules-proto chromium
  clang-14 clang-format-14 clang-tidy-14 g++ git jsonnet
  libclang-rt-14-dev libarchive-dev libcli11-dev libdnnl-dev libevent-dev libgloo-dev libgmock-dev
  libgtest-dev libjs-d3 libjsonnet-dev libre2-dev
  libsqlite3-dev libzstd-dev nettle-dev nlohmann-json3-dev
  python3 python3-numpy python3-scipy python3-torch shellcheck sqlite3 zlib1g-dev zstd"

if ! command -v apt-get >/dev/null; then
  echo "$0: this needs Debian or Ubuntu: there is no apt-get. Packages wanted: $packages" >&2
  exit 1
fi

missing=""
for package in $packages "$@"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "setup: all packages are installed"
  exit 0
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "$0: run this as root, or install sudo. Missing:$missing" >&2
    exit 1
  fi
  as_root="sudo"
fi

echo "setup: installing$missing"
$as_root apt-get update -q
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
echo "setup: done"
