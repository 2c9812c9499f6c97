#!/usr/bin/env bash
# one_box_slurm.sh COMMAND [ARG...]: runs COMMAND in an allocation of four nodes
# n0 to n3 of a Slurm cluster that is this machine alone: munged, slurmctld and
# four slurmd in namespaces of their own, gone with the last process in them.
# All nodes share one address, to which their names resolve.
# Needs root, slurm-wlm, munge, ip and unshare; without them it says so and
# exits with 0.
set -euo pipefail

skip() {
  echo "SKIPPED: $1" >&2
  exit 0
}

if [[ ${ZS_SLURM_INSIDE:-} != yes ]]; then
  [[ $(id -u) == 0 ]] || skip 'Slurm on one machine needs root'
  for program in /usr/sbin/munged /usr/sbin/slurmctld /usr/sbin/slurmd /usr/bin/srun /sbin/ip; do
    [[ -x $program ]] || skip "$program is missing (slurm-wlm, munge, iproute2)"
  done
  unshare --net --mount --uts true 2>/dev/null || skip 'no namespaces may be made here'
  ZS_SLURM_INSIDE=yes exec unshare --mount --net --uts --pid --fork --kill-child \
    --mount-proc "$0" "$@"
fi

export PATH=/usr/sbin:/usr/bin:/sbin:/bin
hostname box
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mkdir -p /run/munge /run/slurm/state /run/etc/upper /run/etc/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work /etc
ip link set lo up
ip link add br-zs type bridge
ip addr add 10.88.0.1/24 dev br-zs
ip link set br-zs up
printf '127.0.0.1 localhost\n10.88.0.1 box n0 n1 n2 n3\n' >/etc/hosts

dd if=/dev/urandom of=/run/munge/key bs=1024 count=1 status=none
chmod 600 /run/munge/key
munged --force --key-file=/run/munge/key --pid-file=/run/munge/pid \
  --log-file=/run/munge/log --seed-file=/run/munge/seed 2>/run/munge/err

cat >/run/slurm/slurm.conf <<'END'
ClusterName=box
SlurmctldHost=box(10.88.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=17000
StateSaveLocation=/run/slurm/state
SlurmdSpoolDir=/run/slurm/%n
SlurmctldPidFile=/run/slurm/ctld.pid
SlurmdPidFile=/run/slurm/%n.pid
SlurmctldLogFile=/run/slurm/ctld.log
SlurmdLogFile=/run/slurm/%n.log
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
MpiDefault=none
SwitchType=switch/none
NodeName=n[0-3] NodeHostname=box NodeAddr=10.88.0.1 Port=[17001-17004] CPUs=4 RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >/run/slurm/cgroup.conf
export SLURM_CONF=/run/slurm/slurm.conf
slurmctld
for node in n0 n1 n2 n3; do
  mkdir -p "/run/slurm/$node"
  slurmd -N "$node"
done
for ((i = 0; ; ++i)); do
  [[ $(sinfo -h -t idle -o %D 2>/dev/null) == 4 ]] && break
  if ((i > 150)); then
    tail -n 20 /run/slurm/*.log >&2
    echo 'Slurm did not come up within 30 s' >&2
    exit 1
  fi
  sleep 0.2
done
exec salloc --quiet -N4 -n4 -c4 "$@"
