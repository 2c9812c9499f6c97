#!/bin/sh
# docker_stand_in.sh exec [-i] NAME COMMAND... | inspect --format FORMAT NAME:
# what docker does, without a container. A process of exec runs in a session of
# its own, and signals to this client do not reach it. $ZS_CLUSTER or, behind
# ssh, /run/cluster may have a file `container`: its words are whether the
# container runs, its network and its IPC; "true host host" without it.
refuse() {
  echo "Error response from daemon: $1" >&2
  exit 1
}

state='true host host'
file=${ZS_CLUSTER:-/run/cluster}/container
[ ! -r "$file" ] || state=$(cat "$file")
running=${state%% *}
rest=${state#* }
verb=$1
shift
case $verb in
  inspect)
    [ "$1" = --format ] || exit 125
    [ "$3" = megatron ] || refuse "No such object: $3"
    printf '%s\n' "$2" | sed "s/{{.State.Running}}/$running/
      s/{{.HostConfig.NetworkMode}}/${rest% *}/
      s/{{.HostConfig.IpcMode}}/${rest#* }/
      s/{{.Image}}/sha256:4f0c/"
    ;;
  exec)
    [ "$1" = -i ] && shift
    [ "$1" = megatron ] || refuse "No such container: $1"
    [ "$running" = true ] || refuse "container 4f0c is not running"
    shift
    exec setsid --wait "$@"
    ;;
  *)
    echo "unknown command: $verb" >&2
    exit 125
    ;;
esac
