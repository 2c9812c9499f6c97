#!/usr/bin/env python3
"""Whether the runner takes what many nodes print while it runs: real agents of this host, each with one program that
prints lines of NCCL and Megatron-LM at a steady rate. The runner itself, whose threads read, keep and understand every
line, is bound to one core; agents and programs are not.

  bazel build //runner && tests/bench/live_bench.py [LINES A SECOND OF ALL NODES (200000) [NODES (8) [SECONDS (10)]]]

Falling behind shows twice: pipes fill, so that the programs end late, and the runner ends after them."""
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/bench"))
RUNNER = ROOT / "bazel-bin/runner/runner"
PAUSE_S = 0.02


def print_lines(node, rate, seconds):
    """RATE lines a second; the last line says how late it is and when."""
    from diagnose_bench import nccl_line, step_line

    rng = random.Random(node)
    nccl = [("\n".join(nccl_line(rng, 4 * node + rng.randrange(4)) for _ in range(200)) + "\n").encode() for _ in range(50)]
    begin = time.monotonic()
    written = step = 0
    while time.monotonic() < begin + seconds:
        while written < rate * (time.monotonic() - begin):
            step += 1
            os.write(1, nccl[step % len(nccl)] + (step_line(step) + "\n").encode() * (node == 0))
            written += 200 + (node == 0)
        time.sleep(PAUSE_S)
    while written < rate * seconds:
        os.write(1, nccl[0])
        written += 200
    print(f"printed {written} lines, {time.monotonic() - begin - seconds:.2f} s late, at {time.time():.3f}", flush=True)


def processor_s(pid):
    """Of the process alone, without what it started."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(process, used):
    """Binds the threads of PROCESS to the last core and samples its processor time until it ends."""
    core = {max(os.sched_getaffinity(0))}
    while process.poll() is None:
        try:
            for thread in os.listdir(f"/proc/{process.pid}/task"):
                os.sched_setaffinity(int(thread), core)
            used.append((time.time(), processor_s(process.pid)))
        except (OSError, IndexError):
            pass  # it has just ended
        time.sleep(0.1)


def own_address():
    """One that other nodes could reach: the runner takes no loopback address for several nodes."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("10.255.255.255", 1))  # sends nothing
        return probe.getsockname()[0]


def main():
    rate, nodes, seconds = (int(word) for word in (sys.argv[1:] + ["200000", "8", "10"][len(sys.argv) - 1:])[:3])
    names = [own_address()] + [f"node{k}" for k in range(1, nodes)]
    # Each name has an agent of its own: the reach only sets a variable.
    experiment = {
        "name": "live", "backend": "command", "limits": {"total_s": 20 * seconds, "hang_s": 10 * seconds},
        "topology": {"nodes": names, "ranks_per_node": 1, "reach": ["env", "ZS_BENCH_NODE={host}"]},
        "command": {"argv": ["sh", "-c", f"exec python3 {__file__} --print $RANK {rate // nodes} {seconds}"]},
    }
    with tempfile.TemporaryDirectory(prefix="zs-live-") as folder:
        file = pathlib.Path(folder, "live.json")
        file.write_text(json.dumps({"schema": 1, "sweep": "live", "experiments": [experiment]}))
        process = subprocess.Popen([RUNNER, file, "--db", f"{folder}/results.db"], cwd=folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        used = []
        watcher = threading.Thread(target=watch, args=(process, used))
        watcher.start()
        out, err = process.communicate()
        ended = time.time()
        watcher.join()
        if process.returncode != 0:
            sys.exit(out + err)
        logs = [log.read_text(errors="replace") for log in pathlib.Path(folder).glob("artifacts/*/*/*/rank*.log")]
    said = [re.search(r"printed (\d+) lines, (\S+) s late, at (\S+)", log) for log in logs]
    kept = sum(log.count("\n") for log in logs)
    last = max(float(line[3]) for line in said)
    window = [sample for sample in used if last - seconds <= sample[0] <= last]
    share = (window[-1][1] - window[0][1]) / (window[-1][0] - window[0][0])
    print(f"{len(said)} nodes, {sum(int(line[1]) for line in said):,} lines printed, {kept:,} kept, "
          f"{sum(int(line[1]) for line in said) / (seconds + max(float(line[2]) for line in said)):,.0f} lines a second")
    print(f"the last program was {max(float(line[2]) for line in said):.2f} s late; the runner ended {ended - last:.2f} s after it")
    print(f"the runner used {100 * share:.0f}% of one core")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--print"]:
        print_lines(*map(int, sys.argv[2:]))
    else:
        main()
