"""Real sweeps with an engine that does not do what it was asked: the verdict of `report` names it.

The engine is this product's own behind a stand-in that changes what one stage is asked to do or says it did.
"""
import html
import json
import os
import unittest

from tests.e2e.harness import RUNNER, RunnerTest, experiment, sweep, train

# What stands before the engine: CHANGE edits `config` (what the engine gets) and `event` (each line that it writes).
STAND_IN = """#!/usr/bin/python3
import json, os, subprocess, sys

ENGINE = {engine!r}
if sys.argv[1:2] != ["--config"]:
    os.execv(ENGINE, [ENGINE, *sys.argv[1:]])
with open(sys.argv[2]) as file:
    config = json.load(file)
asked = config["train"]["zero_stage"]

def change(config, event):
{change}

change(config, {{}})
path = os.path.join(os.environ["HOME"], "changed%d.json" % os.getpid())
with open(path, "w") as file:
    json.dump(config, file)
engine = subprocess.Popen([ENGINE, "--config", path], stdout=subprocess.PIPE, text=True)
for line in engine.stdout:
    event = json.loads(line)
    change({{"train": {{}}}}, event)
    print(json.dumps(event), flush=True)
sys.exit(engine.wait())
"""

# All-reduces gradients and keeps the whole optimizer state under stage 1, and says that it is stage 1.
STAGE_0_TRAFFIC = """
    if asked == 1:
        config["train"]["zero_stage"] = 0
        if event.get("event") == "start":
            event["zero_stage"] = 1
"""
# Every loss of stage 2 is 0.1% too large.
LOSS_OFF = """
    if asked == 2 and "loss" in event:
        event["loss"] *= 1 + 1e-3
"""


class WrongEngineTest(RunnerTest):
    def install(self, change):
        """A runner with the stand-in as its engine."""
        root = self.folder / "install"
        for place in ("runner/agent", "engine"):
            (root / place).mkdir(parents=True)
        real = os.path.dirname(os.path.dirname(RUNNER))
        for place in ("runner/runner", "runner/agent/agent", "experiments"):
            (root / place).symlink_to(f"{real}/{place}")
        engine = root / "engine/engine"
        engine.write_text(STAND_IN.format(engine=f"{real}/engine/engine", change=change))
        engine.chmod(0o755)
        self.runner = str(root / "runner/runner")

    def verdict(self, code):
        """The verdict of a sweep of the three stages, as every form of the report says it."""
        path = self.write("sweep.jsonnet", sweep(*[experiment(f"z{stage}", train=train(stage, 20)) for stage in (0, 1, 2)]))
        self.check_run(0, path, timeout=180)
        self.assertEqual(self.query("SELECT zero_requested, zero_effective FROM experiments e JOIN runs r ON r.experiment_id = e.id ORDER BY 1"),
                         [(0, 0), (1, 1), (2, 2)])
        out, _ = self.check_run(code, "report", "--compare", "z0,z1,z2", "--format", "json")
        comparison = json.loads(out)
        text, _ = self.check_run(code, "report", "--compare", "z0,z1,z2")
        whole, _ = self.check_run(code, "report")
        page, _ = self.check_run(code, "report", "--format", "html")
        for line in comparison["verdict_lines"]:
            if line["kind"] == "wrong":
                for form in (text, whole, html.unescape(page)):
                    self.assertIn(line["text"], form)
        return comparison

    def test_another_stages_traffic_is_named(self):
        self.install(STAGE_0_TRAFFIC)
        comparison = self.verdict(0)
        wrong = [line["text"] for line in comparison["verdict_lines"] if line["kind"] == "wrong"]
        self.assertTrue(any(text.startswith("TRAFFIC: z1 ") and "the traffic of stage 0: " in text for text in wrong), wrong)
        self.assertFalse(any(text.startswith("TRAFFIC: z2") for text in wrong), wrong)
        z1 = comparison["experiments"][1]["comm_by_operation"]
        self.assertGreater(z1["all_reduce"]["measured"], 0)
        self.assertEqual(z1["all_reduce"]["theory"], None)

    def test_a_loss_that_is_off_is_named_and_not_compared(self):
        self.install(LOSS_OFF)
        comparison = self.verdict(4)
        z1, z2 = comparison["experiments"][1:]
        self.assertTrue(z1["loss_equal"])
        self.assertFalse(z2["loss_equal"])
        self.assertIsNone(z2["ratio"]["value"])
        self.assertAlmostEqual(z2["loss_check"]["largest"], 1e-3, places=6)
        self.assertIn("z2 against z0: not compared, since losses DIFFER", comparison["verdict"])
        self.assertNotIn("BEST: z2", comparison["verdict"])


if __name__ == "__main__":
    unittest.main()
