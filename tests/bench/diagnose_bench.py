#!/usr/bin/env python3
"""How long `runner diagnose` takes for a large log, beside `grep -c -F` on the same file.

  bazel build //runner && tests/bench/diagnose_bench.py [MIB (1024) [ROUNDS (7)]]

The two run in turn on a file in the page cache; prints seconds of each, their ratio, lines a second of processor time
and the peak memory."""
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

RUNNER = pathlib.Path(__file__).resolve().parents[2] / "bazel-bin/runner/runner"
RANKS = 32


def nccl_line(rng, rank):
    """A line as NCCL 2.2x prints them at start, most often one of a channel."""
    speaker = f"g{33 + rank // 8:04d}:{4000 + rank}:{4090 + rank} [{rank % 8}] NCCL INFO "
    peer = (rank + 1) % RANKS
    kind = rng.random()
    if kind < 0.55:
        via = "P2P/CUMEM" if rank // 8 == peer // 8 else "NET/IB/0/GDRDMA"
        return f"{speaker}Channel {rng.randrange(16):02d}/0 : {rank}[{rank % 8}] -> {peer}[{peer % 8}] via {via}"
    if kind < 0.70:
        return f"{speaker}Trees [0] {peer}/-1/-1->{rank}->{rank - 1} [1] {peer}/-1/-1->{rank}->{rank - 1}"
    if kind < 0.80:
        return f"{speaker}NET/IB : GPU Direct RDMA Enabled for HCA {rank % 8} 'mlx5_{rank % 8}'"
    if kind < 0.90:
        return f"{speaker}Connected all rings, use ring PXN 0 GDR 1"
    return (f"{speaker}AllReduce: opCount {rng.randrange(9999):x} sendbuff 0x7f{rng.randrange(1 << 40):010x} recvbuff "
            f"0x7f0000000000 count 40000000 datatype 9 op 0 root 0 comm 0x55d0c0ffee00 [nranks=32] stream 0x55d0deadbeef")


def step_line(iteration):
    return (f" [2026-09-01 10:{iteration // 60 % 60:02d}:{iteration % 60:02d}.123456] iteration {iteration:8d}/10000000 | "
            f"consumed samples: {2048 * iteration:12d} | elapsed time per iteration (ms): {8000 + iteration % 20:.1f} | "
            f"throughput per GPU (TFLOP/s/GPU): 378.6 | learning rate: 3.000000E-04 | global batch size:  2048 | "
            f"lm loss: 9.123456E+00 | loss scale: 1.0 | grad norm: 1.234 | number of skipped iterations:   0 | "
            f"number of nan iterations:   0 |")


def write_log(path, size):
    """Ten lines of 32 ranks' NCCL for each of Megatron-LM, interleaved."""
    rng = random.Random(1)
    blocks = ["\n".join(nccl_line(rng, rng.randrange(RANKS)) for _ in range(200)) + "\n" for _ in range(200)]
    written = iteration = 0
    with open(path, "w") as log:
        while written < size:
            steps = "".join(step_line(iteration + i) + "\n" for i in range(1, 21))
            iteration += 20
            text = blocks[iteration // 20 % 200] + steps
            log.write(text)
            written += len(text)
    return written


def timed(argv):
    """(wall seconds, processor seconds)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run(argv, stdout=subprocess.PIPE, check=True)  # grep stops early where nobody reads
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    mib = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    with tempfile.TemporaryDirectory(prefix="zs-bench-") as folder:
        path = os.path.join(folder, "run.log")
        size = write_log(path, mib << 20)
        with open(path, "rb") as log:
            lines = sum(block.count(b"\n") for block in iter(lambda: log.read(1 << 20), b""))
        greps, diagnoses = [], []
        for _ in range(rounds):
            greps.append(timed(["grep", "-c", "-F", "iteration", path]))
            diagnoses.append(timed([RUNNER, "diagnose", path]))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    ratios = sorted(diagnose[0] / grep[0] for grep, diagnose in zip(greps, diagnoses))
    grep, diagnose = min(greps), min(diagnoses)
    print(f"log: {size >> 20} MiB, {lines} lines, {rounds} pairs in turn")
    print(f"grep -c -F iteration: {grep[0]:.2f} s at best ({grep[1]:.2f} s of processor)")
    print(f"runner diagnose: {diagnose[0]:.2f} s at best ({diagnose[1]:.2f} s of processor)")
    print(f"diagnose to grep: {diagnose[0] / grep[0]:.2f} (best to best), {ratios[len(ratios) // 2]:.2f} (median of pairs)")
    print(f"lines a second of processor time: {lines / diagnose[1]:,.0f}")
    print(f"peak memory of the largest child: {peak / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
