"""Predictions, provenance, the live page, exports and bundles of a real run."""
import json
import re
import signal
import unittest
import urllib.error
import urllib.request

from tests.e2e.harness import RunnerTest, experiment, sweep, train

PROFILE = {
    "schema": 1, "name": "made-up", "source": "a test", "device": "cpu", "match": "", "cores": 2, "core_scaling": 1,
    "gemm": [{"width": 32, "tflops": 0.01}], "attention_forward_tflops": 0.01, "attention_backward_tflops": 0.01,
    "memory_gb_s": 5, "optimizer_gb_s": 5, "overhead_ms": 0, "pass_overhead_ms": 0,
    "node": {"latency_us": 50, "gb_s": 1}, "network": {"latency_us": 100, "gb_s": 0.1}, "network_assumed": True,
    "interference": 0, "error_pct": 10, "ranks_measured": 2,
}


class FiguresTest(RunnerTest):
    def run_stages(self, **fields):
        path = self.write("sweep.jsonnet", sweep(*[experiment(f"z{stage}", train=train(stage)) for stage in (0, 1)], **fields))
        self.check_run(0, path)
        return path

    def test_a_profile_beside_the_database_predicts_plans_and_runs(self):
        self.db.parent.mkdir(parents=True)
        (self.db.parent / "profile.json").write_text(json.dumps(PROFILE))
        path = self.run_stages()
        out, _ = self.check_run(0, "plan", path, "--format", "json")
        predicted = json.loads(out)["experiments"][0]["step_predicted"]
        self.assertEqual(predicted["profile"], "made-up")
        self.assertLess(predicted["lo"], predicted["step"])
        recorded = dict(self.query("SELECT term, value FROM predictions WHERE run_id = 1"))
        self.assertAlmostEqual(recorded["step"], predicted["step"])
        out, _ = self.check_run(0, "report", "--format", "html")
        self.assertIn("Predicted and measured", out)

    def test_predict_goes_beyond_what_one_has(self):
        path = self.write("sweep.jsonnet", sweep(experiment("z0")))
        profile = self.write("p.json", json.dumps(PROFILE))
        out, _ = self.check_run(0, "predict", path, "--profile", profile, "--topology", "nodes=16", "--format", "json")
        points = json.loads(out)["experiments"][0]["points"]
        self.assertEqual([point["nodes"] for point in points], [1, 2, 4, 8, 16])
        self.assertTrue(all(point["lo"] < point["step"] < point["hi"] for point in points))
        _, err = self.check_run(2, "predict", path, "--profile", profile, "--topology", "16")
        self.assertIn("nodes=N", err)
        self.write("p.json", "{}")
        _, err = self.check_run(2, "predict", path, "--profile", profile, "--topology", "nodes=2")
        self.assertIn("no machine profile", err)

    def test_why_names_file_and_line(self):
        self.write("base.libsonnet", "{\n  steps: 11,\n}\n")
        path = self.write("sweep.jsonnet", "local base = import 'base.libsonnet';\n" + sweep(
            experiment("z0", train=train() + " + { steps: base.steps }")))
        out, _ = self.check_run(0, "why", path, "z0", "train.steps")
        self.assertIn("z0 train.steps = 11", out)
        self.assertIn("base.libsonnet:2: steps: 11,", out)
        out, _ = self.check_run(0, "why", path, "z0", "train.lr")
        self.assertIn("is not given by the file", out)
        _, err = self.check_run(2, "why", path, "z9", "train.lr")
        self.assertIn("there are: z0", err)

    def test_the_live_page_follows_the_record_and_is_for_who_has_its_address(self):
        self.run_stages()
        server = self.start("serve", "--refresh-s", "1")
        self.addCleanup(server.kill)
        url = server.stdout.readline().strip()
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$")
        with urllib.request.urlopen(url) as answer:
            page, tag = answer.read().decode(), answer.headers["ETag"]
        self.assertIn("data-refresh=\"1\"", page)
        self.assertIn("z1 is", page)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(url.rsplit("/", 2)[0] + "/")
        self.assertEqual(refused.exception.code, 404)
        self.check_run(0, self.write("more.jsonnet", sweep(experiment("later"), name="more")))

        def changed():
            with urllib.request.urlopen(urllib.request.Request(url, method="HEAD")) as answer:
                return answer.headers["ETag"] != tag
        self.wait_for(changed)
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(timeout=20), 130)

    def test_the_live_page_shows_the_steps_of_a_running_sweep(self):
        path = self.write("long.jsonnet", sweep(experiment("z0", train=train(steps=40)), experiment("z1", train=train(1, steps=200000))))
        process = self.start(path)
        server = self.start("serve", "--refresh-s", "1")
        self.addCleanup(server.kill)
        self.addCleanup(process.kill)
        url = server.stdout.readline().strip()

        def steps():
            """How many steps of z1 the page tells of, and how many points it draws."""
            with urllib.request.urlopen(url) as answer:
                page = answer.read().decode()
            told = re.search(r"z1 is running \(run 2, (\d+) of 200000 steps\)", page)
            island = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
            series = [len(e["series"]) for e in json.loads(island.group(1))["experiments"] if e["name"] == "z1"] if told else []
            return (int(told.group(1)), series[0]) if told else (0, 0)
        self.wait_for(lambda: steps()[0] > 0, within_s=60)
        told, drawn = steps()
        self.assertGreater(drawn, 0)
        self.wait_for(lambda: steps()[0] > told, within_s=60)
        # Nothing but looking, and that only with the token.
        for method, address, code in (("POST", url, 404), ("GET", url.rsplit("/", 2)[0] + "/" + 32 * "0" + "/", 404)):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(address, method=method))
            self.assertEqual(refused.exception.code, code)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(timeout=20), 143)

    def test_exports(self):
        self.run_stages()
        out, _ = self.check_run(0, "export", "--format", "openmetrics")
        self.assertIn('zerosweep_tokens_per_s{sweep="e2e",experiment="z1"', out)
        self.assertTrue(out.endswith("# EOF\n"))
        self.check_run(0, "export", "--format", "mlflow", "-o", "ml")
        self.assertEqual(len(list((self.folder / "ml").glob("*/*/metrics/loss"))), 2)
        self.assertEqual(len(list((self.folder / "ml").glob("*/*/params/train.zero_stage"))), 2)

    def test_an_archive_is_whole_until_it_is_not(self):
        self.run_stages()
        self.check_run(0, "bundle", "z1", "-o", "z1.tar.zst")
        out, _ = self.check_run(0, "verify", "z1.tar.zst")
        self.assertIn("whole, and nothing differs here", out)
        self.assertIn("--only z1", out)
        archive = self.folder / "z1.tar.zst"
        data = archive.read_bytes()
        archive.write_bytes(data[:len(data) // 2])
        _, err = self.check_run(2, "verify", "z1.tar.zst")
        self.assertIn("damaged", err)


if __name__ == "__main__":
    unittest.main()
