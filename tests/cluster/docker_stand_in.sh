#!/bin/sh
# docker_stand_in.sh exec [-i] NAME COMMAND...: what docker exec does with a
# process, without a container: it runs in a session of its own, and signals to
# this client do not reach it.
[ "$1" = exec ] || { echo "unknown command: $1" >&2; exit 125; }
shift
[ "$1" = -i ] && shift
[ "$1" = megatron ] || {
  echo "Error response from daemon: No such container: $1" >&2; exit 1; }
shift
exec setsid --wait "$@"
