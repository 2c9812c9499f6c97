"""The engine's decoder against PyTorch, from the same weights and tokens: loss, every gradient, 50 steps of training."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
    import torch
except ImportError as error:
    print("SKIPPED: PyTorch is missing (Debian: apt-get install python3-torch): %s" % error)
    sys.exit(0)

from tests.parity import torch_decoder

ENGINE_STEPS = os.path.abspath("tests/parity/engine_steps")

GPT2 = dict(
    name="gpt2_like", layers=2, hidden=96, heads=4, kv_heads=4, head_size=24, ffn=384, vocab=211, max_seq_len=80,
    norm="layernorm", norm_eps=1e-5, position="learned", rope_theta=10000.0, activation="gelu", qk_norm=False,
    tied_embeddings=True, bias=True, init_std=0.02)
QWEN3 = dict(
    name="qwen3_like", layers=2, hidden=96, heads=6, kv_heads=2, head_size=32, ffn=160, vocab=211, max_seq_len=80,
    norm="rmsnorm", norm_eps=1e-6, position="rope", rope_theta=1e6, activation="swiglu", qk_norm=True,
    tied_embeddings=True, bias=False, init_std=0.02)
UNTIED = dict(QWEN3, name="untied", tied_embeddings=False, qk_norm=False, kv_heads=6, bias=True)


def run_config(model, steps, recompute="none", seq_len=77, micro_batch=3):
    return {
        "schema": 1, "experiment": "parity", "device": "cpu", "model": model, "data": {"kind": "random", "paths": []},
        "train": {
            "zero_stage": 0, "micro_batch": micro_batch, "global_batch": micro_batch, "seq_len": seq_len,
            "steps": steps, "warmup_steps": 0, "seed": 1, "lr": 1e-3, "lr_schedule": "constant", "weight_decay": 0.1,
            "beta1": 0.9, "beta2": 0.95, "adam_eps": 1e-8, "clip_grad": 1.0, "recompute": recompute}}


class Case:
    """Weights and tokens of one configuration, and what the engine makes of them."""

    def __init__(self, config, threads):
        self.model, self.train = config["model"], config["train"]
        self.layout = torch_decoder.layout(self.model)
        random = np.random.RandomState(7)
        self.parameters = {}
        for name, shape, decay in self.layout:
            # Larger than initial weights, and gains and biases off 1 and 0, so that no term vanishes.
            base = 1.0 if name.endswith("norm.weight") else 0.0
            self.parameters[name] = (base + random.standard_normal(shape) * (0.1 if decay else 0.2)).astype(np.float32)
        size = (self.train["steps"], self.train["micro_batch"], self.train["seq_len"])
        self.tokens = random.randint(0, self.model["vocab"], size).astype(np.int32)
        self.targets = random.randint(0, self.model["vocab"], size).astype(np.int32)
        with tempfile.TemporaryDirectory() as folder:
            self._run(config, threads, folder)

    def _run(self, config, threads, folder):
        with open(folder + "/config.json", "w") as out:
            json.dump(config, out)
        np.concatenate([p.ravel() for p in self.parameters.values()]).tofile(folder + "/parameters.f32")
        self.tokens.tofile(folder + "/tokens.i32")
        self.targets.tofile(folder + "/targets.i32")
        subprocess.run([ENGINE_STEPS, folder, str(threads)], check=True)
        self.losses = np.fromfile(folder + "/losses.f64")
        flat = np.fromfile(folder + "/gradients.f32", np.float32)
        with open(folder + "/layout.json") as file:
            self.engine_layout = [(p["name"], tuple(p["shape"]), p["decay"]) for p in json.load(file)]
        self.gradients, at = {}, 0
        for name, shape, _ in self.layout:
            size = int(np.prod(shape))
            self.gradients[name] = flat[at:at + size].reshape(shape)
            at += size

    def torch_parameters(self, dtype):
        return {n: torch.tensor(p, dtype=dtype, requires_grad=True) for n, p in self.parameters.items()}

    def batch(self, step):
        return torch.tensor(self.tokens[step], dtype=torch.long), torch.tensor(self.targets[step], dtype=torch.long)


def relative(ours, theirs):
    return float(np.linalg.norm(ours.astype(np.float64) - theirs) / np.linalg.norm(theirs))


class ParityTest(unittest.TestCase):
    def check_gradients(self, model, threads=2, recompute="none"):
        case = Case(run_config(model, 1, recompute), threads)
        self.assertEqual(case.engine_layout, case.layout)
        for dtype in (torch.float32, torch.float64):
            parameters = case.torch_parameters(dtype)
            loss = torch_decoder.Decoder(model, parameters, case.train["seq_len"]).loss(*case.batch(0))
            loss.backward()
            errors = {n: relative(case.gradients[n], p.grad.double().numpy()) for n, p in parameters.items()}
            worst = max(errors, key=errors.get)
            loss_error = abs(case.losses[0] / loss.item() - 1)
            print("%s %s: loss %.3g, worst gradient %.3g (%s)" % (
                model["name"], dtype, loss_error, errors[worst], worst))
            self.assertLess(loss_error, 1e-5)
            self.assertLess(errors[worst], 1e-5, worst)

    def test_gpt2_style(self):
        self.check_gradients(GPT2)

    def test_qwen3_style(self):
        self.check_gradients(QWEN3)

    def test_untied_head_with_biases(self):
        self.check_gradients(UNTIED, threads=1)

    def test_recompute(self):
        self.check_gradients(QWEN3, threads=3, recompute="full")
        self.check_gradients(QWEN3, threads=3, recompute="cheap")

    def check_training(self, model):
        steps = 50
        config = run_config(model, steps, seq_len=32, micro_batch=2)
        case = Case(config, 1)
        t = config["train"]
        parameters = case.torch_parameters(torch.float32)
        decoder = torch_decoder.Decoder(model, parameters, t["seq_len"])
        groups = [{"params": [parameters[n] for n, _, d in case.layout if d == decay],
                   "weight_decay": t["weight_decay"] if decay else 0.0} for decay in (True, False)]
        optimizer = torch.optim.AdamW(groups, lr=t["lr"], betas=(t["beta1"], t["beta2"]), eps=t["adam_eps"])
        worst = 0.0
        for step in range(steps):
            optimizer.zero_grad()
            loss = decoder.loss(*case.batch(step))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(list(parameters.values()), t["clip_grad"])
            optimizer.step()
            worst = max(worst, abs(loss.item() - case.losses[step]))
        print("%s: %d steps, loss %.6f, furthest apart %.3g" % (model["name"], steps, loss.item(), worst))
        self.assertLess(worst, 1e-4)

    def test_training_gpt2_style(self):
        self.check_training(GPT2)

    def test_training_qwen3_style(self):
        self.check_training(QWEN3)


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
