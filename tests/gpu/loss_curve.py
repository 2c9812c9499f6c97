#!/usr/bin/env python3
"""Trains a model on text with the engine and with PyTorch from the same weights
on the same samples, and compares the losses step by step:

  loss_curve.py [--config runs/gpt2_124m_mb32.json] [--steps 200] [--micro-batch 16] [--lr 1e-4] [--out FILE]

The text is Python's own documentation and the licences of this machine, bytes
as tokens. PyTorch: fp32 parameters, bf16 autocast, scaled_dot_product_attention.
The learning rate rises over the first half: without that the first steps
amplify rounding, and neither curve says anything about the other; at 3e-4 two
trainings of PyTorch differ by up to 3.6 % in a step.
Two trainings that differ in rounding drift apart in single steps, whose few
sequences weigh much; what must agree is the mean over ten steps. How far that
goes by itself is what a second training of PyTorch shows that sees each step's
sequences in reverse order. Exit status 1 where the means are further than 1 %
apart.
"""
import argparse
import glob
import json
import math
import os
import sys
import tempfile

import numpy
import torch
import torch.nn.functional as F

import ranks

TOLERANCE = 0.01
WINDOW = 10
MASK = (1 << 64) - 1
TEXTS = ("/usr/share/common-licenses/*", sys.prefix + "/lib/python3*/site-packages/*/LICENSE*",
         sys.prefix + "/lib/python3*/site-packages/*.dist-info/METADATA", os.path.dirname(os.__file__) + "/*.txt",
         os.path.dirname(os.__file__) + "/pydoc_data/topics.py", os.path.dirname(os.__file__) + "/*.py")


def write_text(path, limit=8 << 20):
    size = 0
    with open(path, "wb") as out:
        for pattern in TEXTS:
            for name in sorted(glob.glob(pattern)):
                if os.path.isfile(name) and size < limit:
                    with open(name, "rb") as source:
                        size += out.write(source.read())
    return size


def mix(x):
    x = (x + 0x9e3779b97f4a7c15) & MASK
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & MASK
    return x ^ (x >> 31)


def window_of(sample, windows, seed):
    """engine/data/sample_order.h."""
    key = mix(seed) ^ mix(~(sample // windows) & MASK)
    half = 1
    while half < 31 and (1 << (2 * half)) < windows:
        half += 1
    mask = (1 << half) - 1
    x = sample % windows
    while True:
        left, right = x >> half, x & mask
        for number in range(6):
            left, right = right, left ^ (mix(mix((key + number) & MASK) ^ right) & mask)
        x = (left << half) | right
        if x < windows:
            return x


def layout(model):
    """Units of (name, shape, decays) in the engine's order."""
    hidden, ffn = model["hidden"], model["ffn"]
    q, kv = model["heads"] * model["head_size"], model["kv_heads"] * model["head_size"]
    up = ("gate_up", 2 * ffn) if model["activation"] == "swiglu" else ("up", ffn)

    def linear(name, rows, cols):
        bias = [(name + ".bias", (rows,), False)] if model["bias"] else []
        return [(name + ".weight", (rows, cols), True)] + bias

    def norm(name):
        bias = [(name + ".bias", (hidden,), False)] if model["norm"] == "layernorm" else []
        return [(name + ".weight", (hidden,), False)] + bias

    embedding = [("embedding.token.weight", (model["vocab"], hidden), True)]
    if model["position"] == "learned":
        embedding.append(("embedding.position.weight", (model["max_seq_len"], hidden), True))
    units = [embedding]
    for number in range(model["layers"]):
        at = f"layers.{number}."
        gains = [(f"{at}attention.{x}_norm.weight", (model["head_size"],), False) for x in "qk"]
        units.append(norm(at + "attention_norm") + linear(at + "attention.qkv", q + 2 * kv, hidden)
                     + (gains if model["qk_norm"] else []) + linear(at + "attention.out", hidden, q)
                     + norm(at + "mlp_norm") + linear(at + "mlp." + up[0], up[1], hidden)
                     + linear(at + "mlp.down", hidden, ffn))
    units.append(norm("head.norm"))
    return units


def read_checkpoint(folder, model):
    """Parameters by name: see engine/checkpoint/checkpoint_format.h."""
    path = glob.glob(folder + "/step_*/rank_00000.bin")[0]
    values = numpy.fromfile(path, dtype=numpy.float32, offset=64)
    at, tensors, decays = 0, {}, {}
    for unit in layout(model):
        size = 0
        for name, shape, decay in unit:
            count = math.prod(shape)
            tensors[name] = torch.from_numpy(values[at + size:at + size + count].copy()).reshape(shape)
            decays[name] = decay
            size += count
        at += 3 * ((size + 31) // 32 * 32)  # parameters and two moments
    assert at == len(values), f"{path}: {len(values)} values, not {at}"
    return tensors, decays


def loss_of(model, w, tokens, targets):
    batch, length = tokens.shape
    size, heads = model["head_size"], model["heads"]
    hidden = (model["hidden"],)

    def norm(name, x):
        return F.layer_norm(x, hidden, w[name + ".weight"], w[name + ".bias"], model["norm_eps"])

    def linear(name, x):
        return F.linear(x, w[name + ".weight"], w.get(name + ".bias"))

    x = F.embedding(tokens, w["embedding.token.weight"]) + w["embedding.position.weight"][:length]
    for number in range(model["layers"]):
        at = f"layers.{number}."
        q, k, v = (t.view(batch, length, heads, size).transpose(1, 2) for t in
                   linear(at + "attention.qkv", norm(at + "attention_norm", x)).chunk(3, -1))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, -1)
        x = x + linear(at + "attention.out", mixed)
        up = F.gelu(linear(at + "mlp.up", norm(at + "mlp_norm", x)), approximate="tanh")
        x = x + linear(at + "mlp.down", up)
    logits = F.linear(norm("head.norm", x), w["embedding.token.weight"])
    return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


def run_engine(config):
    status, out, err = ranks.Ranks(config, 1).wait(240)[0]
    if status != 0:
        sys.exit(f"the engine ended with {status}: {out[-500:]} {err[-500:]}")
    return [e["loss"] for e in ranks.parse_events(out) if e.get("event") == "step"]


def run_torch(config, weights, decays, text, device, reverse=False):
    model, train = config["model"], config["train"]
    length, batch = train["seq_len"], train["global_batch"]
    tokens = torch.from_numpy(numpy.fromfile(text, dtype=numpy.uint8).astype(numpy.int64)).to(device)
    windows = (len(tokens) - 1) // length
    w = {name: value.to(device).requires_grad_() for name, value in weights.items()}
    groups = [{"params": [p for n, p in w.items() if decays[n] == d], "weight_decay": train["weight_decay"] if d else 0.0}
              for d in (True, False)]
    optimizer = torch.optim.AdamW(groups, lr=train["lr"], betas=(train["beta1"], train["beta2"]),
                                  eps=train["adam_eps"], fused=device == "cuda")
    losses = []
    for step in range(train["steps"]):
        rows = [window_of(step * batch + i, windows, train["seed"]) * length for i in range(batch)]
        rows = rows[::-1] if reverse else rows
        block = torch.stack([tokens[at:at + length + 1] for at in rows])
        for group in optimizer.param_groups:
            group["lr"] = train["lr"] * min(1.0, (step + 1) / train["lr_warmup_steps"])
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = loss_of(model, w, block[:, :-1], block[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(w.values(), train["clip_grad"])
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.detach())
    return [loss.item() for loss in losses]


def distance(got, want):
    """(largest distance of means over WINDOW steps, mean and largest of single steps), relative."""
    apart = [abs(a - b) / b for a, b in zip(got, want)]
    means = [abs(sum(got[i:i + WINDOW]) / sum(want[i:i + WINDOW]) - 1) for i in range(len(got) - WINDOW + 1)]
    return max(means), sum(apart) / len(apart), max(apart)


def describe(name, found):
    return (f"{name}: means over {WINDOW} steps at most {found[0]:.3%}, single steps {found[1]:.3%} in the mean "
            f"and {found[2]:.3%} at worst")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default=os.path.join(ranks.HERE, "runs/gpt2_124m_mb32.json"))
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--micro-batch", type=int, default=16)
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--out")
    args = parser.parse_args()
    folder = tempfile.mkdtemp()
    text = folder + "/text"
    size = write_text(text)
    config = ranks.config_of(args.config, {
        "data": {"kind": "text", "paths": [text]}, "train.micro_batch": args.micro_batch,
        "train.global_batch": args.micro_batch, "train.steps": args.steps, "train.warmup_steps": 0,
        "train.lr": args.lr, "train.lr_warmup_steps": args.steps // 2, "train.beta1": 0.9, "train.beta2": 0.95,
        "train.adam_eps": 1e-8, "train.deterministic": True})
    # A step at learning rate 0 leaves the initial weights.
    first = json.loads(json.dumps(config))
    first["train"].update(steps=1, lr=0.0, lr_warmup_steps=0)
    first["checkpoint"] = {"save_dir": folder + "/checkpoint", "save_at_end": True}
    run_engine(first)
    weights, decays = read_checkpoint(folder + "/checkpoint", config["model"])
    got = run_engine(config)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    want = run_torch(config, weights, decays, text, device)
    again = run_torch(config, weights, decays, text, device, reverse=True)
    apart = distance(got, want)
    print(f"loss_curve: {len(got)} steps on {size} bytes of text, loss {got[0]:.4f} to {got[-1]:.4f}, PyTorch "
          f"{want[0]:.4f} to {want[-1]:.4f}")
    print(describe("  engine and PyTorch apart", apart))
    print(describe("  PyTorch and PyTorch apart", distance(again, want)))
    if args.out:
        with open(args.out, "w") as file:
            json.dump({"engine": got, "torch": want, "torch_reversed": again}, file)
    return 0 if len(got) == args.steps and apart[0] <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
