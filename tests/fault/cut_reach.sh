#!/bin/sh
# cut_reach.sh FOLDER COMMAND...: a way to reach this host that can be cut: kill
# the process group and both directions end, as when ssh dies. While FOLDER/down
# exists nothing is reached, after a greeting as a gateway may print it.
if [ -e "$1/down" ]; then
  echo 'Welcome to the gateway'
  echo 'No route to host' >&2
  exit 255
fi
shift
cat | "$@" | cat
