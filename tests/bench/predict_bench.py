#!/usr/bin/env python3
"""Predicted beside measured on CPU ranks, for models and topologies that the profile was not made from.

  bazel build //runner && tests/bench/predict_bench.py [PROFILE.json]

Without PROFILE it runs `runner profile` first. Each experiment runs REPEATS times in blocks of random order; the fastest
run of each counts, as in the profile: others on the machine make runs slower and none faster. Ends with 1 where a step
is off by more than 20% or memory by more than 5%.
"""
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNER = ROOT / "bazel-bin/runner/runner"
REPEATS = 3
PARTS = ("parameters", "gradients", "optimizer", "activations", "logits", "workspace", "communication")


def model(hidden, layers, kind):
    norm = {"norm": "rmsnorm", "position": "rope", "activation": "swiglu"} if kind == "qwen" else \
           {"norm": "layernorm", "position": "learned", "activation": "gelu", "bias": True}
    return {"name": f"{kind}_h{hidden}", "layers": layers, "hidden": hidden, "heads": hidden // 64, "kv_heads": hidden // 64,
            "head_size": 64, "ffn": 3 * hidden if kind == "qwen" else 4 * hidden, "vocab": 256, "max_seq_len": 1024} | norm


def experiment(name, model, ranks, stage, seq, tokens, accumulation=1, **train):
    return {"name": name, "backend": "engine", "device": "cpu", "model": model, "data": {"kind": "random"}, "threads_per_rank": 1,
            "repeats": REPEATS, "topology": {"nodes": ["localhost"], "ranks_per_node": ranks},
            "train": {"zero_stage": stage, "micro_batch": tokens // seq, "global_batch": accumulation * ranks * tokens // seq,
                      "seq_len": seq, "steps": 12, "warmup_steps": 3} | train}


EXPERIMENTS = [
    experiment("gpt_h128", model(128, 4, "gpt"), 1, 0, 128, 512),
    experiment("gpt_h384", model(384, 3, "gpt"), 1, 0, 128, 512),
    experiment("qwen_h256", model(256, 4, "qwen"), 1, 0, 128, 512),
    experiment("gpt_h128_r2_z0", model(128, 4, "gpt"), 2, 0, 128, 512),
    experiment("gpt_h384_r2_z1", model(384, 3, "gpt"), 2, 1, 128, 512),
    experiment("gpt_h384_r2_z2", model(384, 3, "gpt"), 2, 2, 128, 512),
    experiment("qwen_h256_r2_z2_a2", model(256, 4, "qwen"), 2, 2, 128, 512, 2),
    experiment("gpt_h128_r4_z0", model(128, 4, "gpt"), 4, 0, 128, 512),
]


def measured(connection, name):
    """(step ms of the fastest run, its memory, that predicted)"""
    best = None
    for run, in connection.execute("SELECT r.id FROM runs r JOIN experiments e ON e.id = r.experiment_id "
                                   "WHERE e.name = ? AND r.measurement = 'valid'", (name,)):
        times = [ms for ms, in connection.execute("SELECT step_ms FROM steps WHERE run_id = ? AND step > 3", (run,))]
        step = statistics.median(times)
        if best is None or step < best[0]:
            memory = dict(connection.execute(
                f"SELECT kind, max({' + '.join(PARTS)}) FROM memory WHERE run_id = ? GROUP BY kind", (run,)))
            best = step, memory["measured"], memory["predicted"]
    return best


def main():
    with tempfile.TemporaryDirectory(prefix="zs-predict-") as folder:
        folder = pathlib.Path(folder)
        profile = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else str(folder / "profile.json")
        if len(sys.argv) == 1:
            subprocess.run([RUNNER, "profile", "--db", folder / "profile.db", "-o", profile], check=True)
        path = folder / "sweep.json"
        path.write_text(json.dumps({"schema": 1, "sweep": "predict", "seed": 1, "experiments": EXPERIMENTS}))
        database = folder / "results.db"
        subprocess.run([RUNNER, path, "--db", database, "--profile", profile], check=True, stderr=subprocess.DEVNULL)
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        print("| experiment | ranks | stage | step ms measured | predicted | off by | memory off by |\n| --- | --- | --- | --- | --- | --- | --- |")
        held = True
        for e in EXPERIMENTS:
            step, memory, expected = measured(connection, e["name"])
            predicted, = connection.execute(
                "SELECT p.value FROM predictions p JOIN runs r ON r.id = p.run_id JOIN experiments e ON e.id = r.experiment_id "
                "WHERE e.name = ? AND p.term = 'step'", (e["name"],)).fetchone()
            off, memory_off = predicted / step - 1, expected / memory - 1
            held = held and abs(off) <= 0.2 and abs(memory_off) <= 0.05
            print(f"| {e['name']} | {e['topology']['ranks_per_node']} | z{e['train']['zero_stage']} | {step:.1f} | {predicted:.1f} | "
                  f"{100 * off:+.1f}% | {100 * memory_off:+.2f}% |")
        return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
