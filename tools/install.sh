#!/usr/bin/env bash
# Puts the runner, the engine, the agent and the experiment library below a
# prefix, from where all works without Bazel:
#   bazel run //:install                  below ~/.local
#   bazel run //:install -- /opt/zerosweep
set -euo pipefail

prefix=${1:-$HOME/.local}
[[ $prefix == /* ]] || prefix=${BUILD_WORKING_DIRECTORY:-$PWD}/$prefix
root=$prefix/lib/zerosweep

# Bazel starts this in its runfiles folder, where everything lies.
new=$root.new.$$
trap 'rm -rf "$new"' EXIT
mkdir -p "$new" "$prefix/bin"
for file in engine/engine runner/agent/agent runner/runner; do
  install -D -m 755 "$(readlink -f "$file")" "$new/$file"
done
for plugin in engine/*.so; do
  [[ -e $plugin ]] && install -D -m 755 "$(readlink -f "$plugin")" "$new/$plugin"
done
cp -rL experiments "$new/experiments"

# The old one goes only when the new one is complete.
rm -rf "$root.old"
[[ -e $root ]] && mv "$root" "$root.old"
mv "$new" "$root"
rm -rf "$root.old"
ln -sfn ../lib/zerosweep/runner/runner "$prefix/bin/runner"
echo "installed: $prefix/bin/runner"
case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) echo "note: $prefix/bin is not on your PATH" ;;
esac
