"""The decoder of the engine in PyTorch, written for comparison: plain torch.nn.functional and autograd."""

import math

import torch
import torch.nn.functional as F


def layout(model):
    """(name, shape, decay) of each parameter, in the engine's order."""
    hidden, ffn = model["hidden"], model["ffn"]
    q, kv = model["heads"] * model["head_size"], model["kv_heads"] * model["head_size"]
    out = []

    def matrix(name, rows, cols):
        out.append((name + ".weight", (rows, cols), True))

    def linear(name, rows, cols):
        matrix(name, rows, cols)
        if model["bias"]:
            out.append((name + ".bias", (rows,), False))

    def norm(name):
        out.append((name + ".weight", (hidden,), False))
        if model["norm"] == "layernorm":
            out.append((name + ".bias", (hidden,), False))

    matrix("embedding.token", model["vocab"], hidden)
    if model["position"] == "learned":
        matrix("embedding.position", model["max_seq_len"], hidden)
    for layer in range(model["layers"]):
        prefix = "layers.%d." % layer
        norm(prefix + "attention_norm")
        linear(prefix + "attention.qkv", q + 2 * kv, hidden)
        if model["qk_norm"]:
            for name in ("q_norm", "k_norm"):
                out.append((prefix + "attention." + name + ".weight", (model["head_size"],), False))
        linear(prefix + "attention.out", hidden, q)
        norm(prefix + "mlp_norm")
        if model["activation"] == "swiglu":
            linear(prefix + "mlp.gate_up", 2 * ffn, hidden)
        else:
            linear(prefix + "mlp.up", ffn, hidden)
        linear(prefix + "mlp.down", hidden, ffn)
    norm("head.norm")
    if not model["tied_embeddings"]:
        matrix("head.lm", model["vocab"], hidden)
    return out


class Decoder:
    """Computes the loss from `parameters`, a dict of tensors by name."""

    def __init__(self, model, parameters, seq_len):
        self.model = model
        self.p = parameters
        dtype = parameters["embedding.token.weight"].dtype
        self.mask = torch.full((seq_len, seq_len), -math.inf, dtype=dtype).triu(1)
        if model["position"] == "rope":
            half = model["head_size"] // 2
            exponent = torch.arange(half, dtype=torch.float64) * (-2.0 / model["head_size"])
            angle = torch.arange(seq_len, dtype=torch.float64)[:, None] * model["rope_theta"] ** exponent
            angle = torch.cat((angle, angle), 1)
            self.cos, self.sin = angle.cos().to(dtype), angle.sin().to(dtype)

    def loss(self, tokens, targets):
        m, p = self.model, self.p
        x = F.embedding(tokens, p["embedding.token.weight"])
        if m["position"] == "learned":
            x = x + p["embedding.position.weight"][: tokens.shape[1]]
        for layer in range(m["layers"]):
            prefix = "layers.%d." % layer
            x = x + self._attention(prefix + "attention.", self._norm(prefix + "attention_norm", x))
            x = x + self._mlp(prefix + "mlp.", self._norm(prefix + "mlp_norm", x))
        x = self._norm("head.norm", x)
        lm = p["embedding.token.weight"] if m["tied_embeddings"] else p["head.lm.weight"]
        logits = F.linear(x, lm)
        return F.cross_entropy(logits.view(-1, m["vocab"]), targets.reshape(-1))

    def _linear(self, name, x):
        return F.linear(x, self.p[name + ".weight"], self.p.get(name + ".bias"))

    def _rms(self, x, gain):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.model["norm_eps"]) * gain

    def _norm(self, name, x):
        gain, eps = self.p[name + ".weight"], self.model["norm_eps"]
        if self.model["norm"] == "layernorm":
            return F.layer_norm(x, gain.shape, gain, self.p[name + ".bias"], eps)
        return self._rms(x, gain)

    def _rotate(self, x):
        half = x.shape[-1] // 2
        turned = torch.cat((-x[..., half:], x[..., :half]), -1)
        return x * self.cos + turned * self.sin

    def _attention(self, name, x):
        m = self.model
        batch, seq_len, _ = x.shape
        size, heads, kv_heads = m["head_size"], m["heads"], m["kv_heads"]
        qkv = self._linear(name + "qkv", x)
        q, k, v = qkv.split((heads * size, kv_heads * size, kv_heads * size), -1)
        q = q.view(batch, seq_len, heads, size).transpose(1, 2)
        k = k.view(batch, seq_len, kv_heads, size).transpose(1, 2)
        v = v.view(batch, seq_len, kv_heads, size).transpose(1, 2)
        if m["qk_norm"]:
            q, k = self._rms(q, self.p[name + "q_norm.weight"]), self._rms(k, self.p[name + "k_norm.weight"])
        if m["position"] == "rope":
            q, k = self._rotate(q), self._rotate(k)
        if heads != kv_heads:
            k = k.repeat_interleave(heads // kv_heads, 1)
            v = v.repeat_interleave(heads // kv_heads, 1)
        scores = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(size)) + self.mask
        out = F.softmax(scores, -1) @ v
        return self._linear(name + "out", out.transpose(1, 2).reshape(batch, seq_len, heads * size))

    def _mlp(self, name, x):
        if self.model["activation"] == "swiglu":
            gate, up = self._linear(name + "gate_up", x).chunk(2, -1)
            return self._linear(name + "down", F.silu(gate) * up)
        up = self._linear(name + "up", x)
        # The engine has GELU's tanh form, which torch.nn.functional has from 1.12 on.
        return self._linear(name + "down", F.gelu(up, approximate="tanh"))
