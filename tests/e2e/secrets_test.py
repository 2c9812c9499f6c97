"""A secret in the environment of an experiment is kept nowhere; the rank itself gets it."""
import json
import unittest

from tests.e2e.harness import RunnerTest, experiment, sweep, train

CANARY = "canary-47b1-do-not-keep"


class SecretsTest(RunnerTest):
    def everything(self):
        """All files that the runner has made, the database and its journal among them."""
        return [path for path in self.folder.rglob("*") if path.is_file() and path.name != "sweep.jsonnet"]

    def test_a_canary_appears_nowhere(self):
        env = json.dumps({"HF_TOKEN": CANARY, "WANDB_API_KEY": CANARY + "2", "PLAIN": "seen"})
        path = self.write("sweep.jsonnet", sweep(
            experiment("x0", env=env), experiment("x1", env=env, train=train(0, steps=100000), limits="{ total_s: 1 }")))
        said = []
        # x1 fails, so that reasons, findings and last lines are written too.
        for code, words in ((0, ("plan", path)), (0, ("plan", path, "--show", "x0")), (1, (path,)),
                            (0, ("show", "x0")), (0, ("show", "x1")), (0, ("list",)), (0, ("logs", "x0")),
                            (0, ("logs", "x0", "--node", "0")), (0, ("report", "--format", "json"))):
            out, err = self.check_run(code, *words)
            said.append(out + err)
        self.assertIn("PLAIN", said[1])
        self.assertNotIn(CANARY, "".join(said))
        found = [str(path) for path in self.everything() if CANARY.encode() in path.read_bytes()]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
