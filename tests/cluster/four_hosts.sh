#!/usr/bin/env bash
# four_hosts.sh COMMAND [ARG...]: runs COMMAND as on a control host beside four
# hosts g0033 to g0036, all on this machine. Each host is a network namespace
# with its own address (10.77.0.1 to .4), hosts file, sshd, home and cache folder
# (so that the shell files of who tests here are not read at each login);
# processes and files are shared. Everything lives in namespaces of its own and
# goes with the last process in them. COMMAND finds
#   ZS_CLUSTER             a folder; ssh -F $ZS_CLUSTER/ssh_config g0034 ...
#   v1 to v4               the hosts' cables: ip link set v2 down
#   $ZS_CLUSTER/bin/docker on the hosts' PATH where docker_stand_in.sh is here
# Needs root, sshd, ip and unshare; without them it says so and exits with 0.
set -euo pipefail

skip() {
  echo "SKIPPED: $1" >&2
  exit 0
}

if [[ ${ZS_CLUSTER_INSIDE:-} != yes ]]; then
  [[ $(id -u) == 0 ]] || skip 'four hosts on one machine need root'
  for program in /usr/sbin/sshd /usr/bin/ssh /sbin/ip /usr/bin/unshare; do
    [[ -x $program ]] || skip "$program is missing (openssh-server, iproute2)"
  done
  unshare --net --mount true 2>/dev/null || skip 'no namespaces may be made here'
  # The last one in these namespaces is the end of all that was started there.
  ZS_CLUSTER_INSIDE=yes exec unshare --mount --net --pid --fork --kill-child \
    --mount-proc "$0" "$@"
fi

here=$(cd "$(dirname "$0")" && pwd)
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
hosts=(g0033 g0034 g0035 g0036)
mount --make-rprivate /
mount -t tmpfs tmpfs /run
# What lies in shared memory is of these hosts alone, whatever else runs here.
mount -t tmpfs tmpfs /dev/shm
mkdir -p /run/netns /run/sshd /run/etc
# Hosts files without a trace on the disk.
mkdir -p /run/etc/upper /run/etc/work
mount -t overlay overlay \
  -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work /etc
export ZS_CLUSTER=/run/cluster
mkdir -p "$ZS_CLUSTER/bin"
if [[ -r $here/docker_stand_in.sh ]]; then
  install -m 755 "$here/docker_stand_in.sh" "$ZS_CLUSTER/bin/docker"
fi
ssh-keygen -q -t ed25519 -N '' -f "$ZS_CLUSTER/key"
ssh-keygen -q -t ed25519 -N '' -f "$ZS_CLUSTER/hostkey"
cp "$ZS_CLUSTER/key.pub" "$ZS_CLUSTER/authorized_keys"

ip link set lo up
ip link add br-zs type bridge
ip addr add 10.77.0.254/24 dev br-zs
ip link set br-zs up
for k in 1 2 3 4; do
  host=${hosts[k - 1]}
  ip netns add "$host"
  ip link add "v$k" type veth peer name eth0 netns "$host"
  ip link set "v$k" master br-zs up
  ip -n "$host" addr add "10.77.0.$k/24" dev eth0
  ip -n "$host" link set eth0 up
  ip -n "$host" link set lo up
  mkdir -p "/etc/netns/$host" "$ZS_CLUSTER/$host"
  {
    echo '127.0.0.1 localhost'
    for j in 1 2 3 4; do echo "10.77.0.$j ${hosts[j - 1]}"; done
  } >"/etc/netns/$host/hosts"
  ip netns exec "$host" /usr/sbin/sshd -f /dev/null \
    -o "HostKey=$ZS_CLUSTER/hostkey" -o UsePAM=no -o StrictModes=no \
    -o "AuthorizedKeysFile=$ZS_CLUSTER/authorized_keys" \
    -o PermitRootLogin=yes -o "PidFile=$ZS_CLUSTER/$host.pid" \
    -o "ListenAddress=10.77.0.$k" \
    -o "SetEnv=HOME=$ZS_CLUSTER/$host XDG_CACHE_HOME=$ZS_CLUSTER/$host PATH=$ZS_CLUSTER/bin:$PATH"
  cat >>"$ZS_CLUSTER/ssh_config" <<END
Host $host
  HostName 10.77.0.$k
  User root
  IdentityFile $ZS_CLUSTER/key
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
  BatchMode yes
  ConnectTimeout 3
END
done
"$@"
