"""Tokens/s of the engine's decoder (forward, backward, AdamW; one process) beside PyTorch's on the same machine.

bazel run //tests/bench:engine_bench -- [--models gpt_smoke,gpt2_124m] [--threads 1,2] [--rounds 5] [--json]

The two take turns, step by step, so that whatever else the machine does meets both; the ratio is that of the medians.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GPT2 = dict(
    norm="layernorm", norm_eps=1e-5, position="learned", activation="gelu", qk_norm=False, tied_embeddings=True,
    bias=True)
QWEN3 = dict(
    norm="rmsnorm", norm_eps=1e-6, position="rope", rope_theta=1e6, activation="swiglu", qk_norm=True,
    tied_embeddings=True, bias=False)
MODELS = {
    "gpt_smoke": dict(
        GPT2, layers=4, hidden=256, heads=8, kv_heads=8, head_size=32, ffn=1024, vocab=256, max_seq_len=512),
    "gpt2_124m": dict(
        GPT2, layers=12, hidden=768, heads=12, kv_heads=12, head_size=64, ffn=3072, vocab=50257, max_seq_len=1024),
    "qwen3_small": dict(
        QWEN3, layers=4, hidden=512, heads=8, kv_heads=4, head_size=64, ffn=1536, vocab=8192, max_seq_len=1024),
}


def config_of(name, seq_len, micro_batch):
    model = dict(MODELS[name], name=name)
    return {
        "schema": 1, "experiment": "bench", "device": "cpu", "model": model, "data": {"kind": "random", "paths": []},
        "train": {
            "zero_stage": 0, "micro_batch": micro_batch, "global_batch": micro_batch, "seq_len": seq_len,
            "steps": 1, "seed": 1, "lr": 1e-4, "lr_schedule": "constant", "weight_decay": 0.1}}


class Stepper:
    """A process that takes a step for each line it is sent."""

    def __init__(self, argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def step(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("%s ended with status %d" % (self.process.args[0], self.process.wait()))
        return [float(word) for word in line.split()[:4]]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare(config, threads, rounds, burst):
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/config.json"
        with open(path, "w") as out:
            json.dump(config, out)
        steppers = {
            "engine": Stepper([HERE + "/engine_stepper", path, str(threads)]),
            "torch": Stepper([HERE + "/torch_stepper", path, str(threads)])}
        times = {name: [] for name in steppers}
        for round_index in range(rounds + 1):
            for name, stepper in steppers.items():
                steps = [stepper.step() for _ in range(burst)]
                if round_index > 0:
                    times[name] += steps
        for stepper in steppers.values():
            stepper.close()
    return times


def report(config, threads, times, as_json):
    tokens = config["train"]["micro_batch"] * config["train"]["seq_len"]
    row = {"model": config["model"]["name"], "threads": threads}
    for name, steps in times.items():
        median = [statistics.median(column) for column in zip(*steps)]
        row[name] = {
            "tokens_per_s": tokens / median[0] * 1e3, "step_ms": median[0], "forward_ms": median[1],
            "backward_ms": median[2], "optimizer_ms": median[3]}
    row["ratio"] = row["engine"]["tokens_per_s"] / row["torch"]["tokens_per_s"]
    if as_json:
        print(json.dumps(row), flush=True)
        return
    print("%-12s threads %d: %.2f times PyTorch" % (row["model"], threads, row["ratio"]))
    for name in times:
        print("  %-7s %9.1f tokens/s  step %8.1f ms (forward %.1f, backward %.1f, optimizer %.1f)" % (
            (name,) + tuple(row[name].values())), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="gpt_smoke,gpt2_124m")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seq_len", type=int, default=256)
    parser.add_argument("--micro_batch", type=int, default=4)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    for name in args.models.split(","):
        if name not in MODELS:
            sys.exit("--models: %s is unknown; known: %s" % (name, ", ".join(MODELS)))
        for threads in args.threads.split(","):
            config = config_of(name, args.seq_len, args.micro_batch)
            burst = 2 if name == "gpt2_124m" else 10
            report(config, int(threads), compare(config, int(threads), args.rounds, burst), args.json)


if __name__ == "__main__":
    main()
