#!/usr/bin/env python3
"""What the runner adds to the programs it runs.

A sweep of N small experiments under the runner, and the same engine commands one after the other without it, in turn; the difference for each experiment.

  bazel build //runner && tests/bench/runner_overhead.py [N [REPEATS]]
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNER = ROOT / "bazel-bin/runner/runner"
ENGINE = ROOT / "bazel-bin/engine/engine"

MODEL = {"name": "tiny", "layers": 2, "hidden": 32, "heads": 4, "kv_heads": 4, "head_size": 8, "ffn": 64, "vocab": 256,
         "max_seq_len": 64, "norm": "rmsnorm", "position": "rope", "activation": "swiglu"}


def experiment(i):
    return {"name": f"x{i}", "backend": "engine", "device": "cpu", "model": MODEL, "data": {"kind": "random"},
            "train": {"zero_stage": 0, "micro_batch": 1, "global_batch": 2, "seq_len": 16, "steps": 5, "warmup_steps": 1, "seed": i + 1},
            "topology": {"nodes": ["localhost"], "ranks_per_node": 2}}


def with_runner(folder, count):
    path = folder / "sweep.json"
    path.write_text(json.dumps({"schema": 1, "sweep": "overhead", "experiments": [experiment(i) for i in range(count)]}))
    start = time.monotonic()
    subprocess.run([RUNNER, path, "--rerun", "--db", folder / "results.db"], check=True, capture_output=True)
    return time.monotonic() - start


def without_runner(folder):
    """The configurations of the newest sweep, each rank started as the runner does."""
    configs = sorted((folder / "artifacts").glob("overhead-*/x*/1.1/config.json"))
    start = time.monotonic()
    for k, config in enumerate(configs):
        ranks = []
        for rank in range(2):
            environment = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2", LOCAL_WORLD_SIZE="2",
                               MASTER_ADDR="127.0.0.1", MASTER_PORT=str(21000 + k))
            ranks.append(subprocess.Popen([ENGINE, "--config", config], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        if any(rank.wait() for rank in ranks):
            sys.exit(f"the engine failed on {config}")
    return time.monotonic() - start


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    overheads = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            runner_s = with_runner(folder, count)
            engine_s = without_runner(folder)
        overheads.append((runner_s - engine_s) / count * 1000)
        print(f"runner {runner_s:.2f} s, engines alone {engine_s:.2f} s: {overheads[-1]:.1f} ms an experiment")
    print(f"overhead_ms_per_experiment median {statistics.median(overheads):.1f} (limit 150)")
    return 0 if statistics.median(overheads) <= 150 else 1


if __name__ == "__main__":
    sys.exit(main())
