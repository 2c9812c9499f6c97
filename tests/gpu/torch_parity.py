#!/usr/bin/env python3
"""Compares what gpu_decoder_test wrote with PyTorch in fp32:

  gpu_decoder_test "" FOLDER; torch_parity.py FOLDER

Loss within 1 %, and each gradient within 6 % in L2 norm, which is what sums of
products of activations rounded to bf16 give. Exit status 1 where one is not.
"""
import glob
import json
import math
import sys

import numpy
import torch
import torch.nn.functional as F

LOSS_TOLERANCE = 0.01
GRADIENT_TOLERANCE = 0.06


def read_case(path):
    with open(path, "rb") as file:
        header = json.loads(file.readline())
        values = numpy.frombuffer(file.read(), dtype=numpy.uint8)
    shapes = [(p["name"], p["shape"]) for p in header["parameters"]]
    count = sum(math.prod(shape) for _, shape in shapes)
    floats = values[:8 * count].view(numpy.float32)
    tokens = torch.from_numpy(values[8 * count:].view(numpy.int32).astype(numpy.int64))
    parts = []
    for half in (floats[:count], floats[count:]):
        at, tensors = 0, {}
        for name, shape in shapes:
            size = math.prod(shape)
            tensors[name] = torch.from_numpy(half[at:at + size].copy()).reshape(shape)
            at += size
        parts.append(tensors)
    return header, parts[0], parts[1], tokens


def norm(model, w, name, x):
    gain, bias = w[name + ".weight"], w.get(name + ".bias")
    if model["norm"] == "layernorm":
        return F.layer_norm(x, x.shape[-1:], gain, bias, model["norm_eps"])
    return rms(model, gain, x)


def rms(model, gain, x):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + model["norm_eps"]) * gain


def linear(w, name, x):
    return F.linear(x, w[name + ".weight"], w.get(name + ".bias"))


def rotate(model, x):
    """x {batch, head, position, head_size}; element i turns with i + half."""
    half = model["head_size"] // 2
    rate = model["rope_theta"] ** (-torch.arange(half, dtype=torch.float64) / half)
    angle = torch.outer(torch.arange(x.shape[2], dtype=torch.float64), rate)
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    low, high = x[..., :half], x[..., half:]
    return torch.cat((low * cos - high * sin, high * cos + low * sin), -1)


def attention(model, w, name, x):
    batch, length, _ = x.shape
    heads, groups, size = model["heads"], model["kv_heads"], model["head_size"]
    parts = linear(w, name + ".qkv", x).split([heads * size, groups * size, groups * size], -1)
    q, k, v = (p.reshape(batch, length, -1, size).transpose(1, 2) for p in parts)
    if model["qk_norm"]:
        q = rms(model, w[name + ".q_norm.weight"], q)
        k = rms(model, w[name + ".k_norm.weight"], k)
    if model["position"] == "rope":
        q, k = rotate(model, q), rotate(model, k)
    k, v = (t.repeat_interleave(heads // groups, 1) for t in (k, v))
    scores = q @ k.transpose(-1, -2) / math.sqrt(size)
    future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
    mixed = scores.masked_fill(future, -math.inf).softmax(-1) @ v
    return linear(w, name + ".out", mixed.transpose(1, 2).reshape(batch, length, -1))


def mlp(model, w, name, x):
    if model["activation"] == "swiglu":
        gate, up = linear(w, name + ".gate_up", x).chunk(2, -1)
        return linear(w, name + ".down", F.silu(gate) * up)
    return linear(w, name + ".down", F.gelu(linear(w, name + ".up", x), approximate="tanh"))


def loss_of(model, w, tokens, targets):
    x = w["embedding.token.weight"][tokens]
    if model["position"] == "learned":
        x = x + w["embedding.position.weight"][:tokens.shape[1]]
    for layer in range(model["layers"]):
        name = f"layers.{layer}"
        x = x + attention(model, w, name + ".attention", norm(model, w, name + ".attention_norm", x))
        x = x + mlp(model, w, name + ".mlp", norm(model, w, name + ".mlp_norm", x))
    x = norm(model, w, "head.norm", x)
    table = w["embedding.token.weight" if model["tied_embeddings"] else "head.lm.weight"]
    return F.cross_entropy((x @ table.T).flatten(0, 1), targets.flatten())


def check(path, device):
    header, weights, gradients, tokens = read_case(path)
    w = {name: value.to(device).requires_grad_() for name, value in weights.items()}
    shape = (header["micro_batch"], header["seq_len"])
    targets = tokens.flip(0).reshape(shape).to(device)
    loss = loss_of(header["model"], w, tokens.reshape(shape).to(device), targets)
    loss.backward()
    faults = []
    if not abs(header["loss"] - loss.item()) <= LOSS_TOLERANCE * abs(loss.item()):
        faults.append(f"loss {header['loss']}, PyTorch {loss.item()}")
    worst, worst_name = 0.0, ""
    for name, got in gradients.items():
        want = w[name].grad.cpu().double()
        error = ((got.double() - want).norm() / want.norm()).item()
        if not error <= GRADIENT_TOLERANCE:
            faults.append(f"gradient of {name}: relative error {error:.4f}")
        if not error <= worst:
            worst, worst_name = error, name
    print(f"{path}: loss {header['loss']:.6f}, PyTorch {loss.item():.6f}; worst gradient "
          f"{worst_name}, relative error {worst:.4f}")
    for fault in faults:
        print(f"WRONG {path}: {fault}")
    return len(faults)


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    device = "cuda" if torch.cuda.is_available() else "cpu"
    paths = sorted(glob.glob(sys.argv[1] + "/*.case"))
    faults = sum(check(path, device) for path in paths)
    print(f"torch_parity: {len(paths)} cases, {faults} faults")
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
