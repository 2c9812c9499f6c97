"""What has passed counts as cached only while all that decided it is as it was: each test changes one thing."""
import json
import unittest

from tests.e2e.harness import RunnerTest, experiment, sweep, train


# Ranks of other tests on this host are no reason to refuse.
ALONE = "checks: { accept: ['leftovers'] }"


def program(text, after=""):
    return f"#!/bin/sh\necho step 1 loss {text}\n{after}"


class StaleTest(RunnerTest):
    def script(self, name, text, after=""):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(program(text, after))
        path.chmod(0o755)
        return str(path)

    def command(self, argv, reach=(), loss=r"loss (\S+)", **fields):
        values = {"argv": argv, "step_pattern": r"step (\d+)", "loss_pattern": loss} | fields
        return (f"{{ name: 'x', backend: 'command', command: {json.dumps(values)}, "
                f"{ALONE}, topology: {{ nodes: ['localhost'], reach: {json.dumps(list(reach))} }} }}")

    def run_file(self, text, cached, code=0):
        _, err = self.check_run(code, self.write("sweep.jsonnet", sweep(text)))
        self.assertIn("1 cached" if cached else "0 cached", err)
        return err

    def node(self, **variables):
        """Words that lead to a node, whose agent has VARIABLES."""
        return ["env", "ZS_NODE={host}", *(f"{name}={value}" for name, value in variables.items())]

    def key_parts(self):
        return json.loads(self.query("SELECT key_parts_json FROM experiments ORDER BY id DESC LIMIT 1")[0][0])

    def test_another_program_behind_a_reach_runs_again(self):
        path = self.script("train.sh", 2)
        text = self.command([path], self.node())
        self.run_file(text, cached=False)
        self.assertIn("kernel", self.key_parts()["software"])
        self.assertIn("cores", self.key_parts()["hardware"])
        self.run_file(text, cached=True)
        self.assertEqual(self.query("SELECT count(*) FROM runs"), [(1,)])
        self.script("train.sh", 1)
        self.run_file(text, cached=False)
        self.assertEqual(self.query("SELECT final_loss FROM runs ORDER BY id"), [(2.0,), (1.0,)])

    def test_plan_and_explain_say_what_hangs_on_the_nodes(self):
        self.script("train.sh", 2)
        text = self.command([str(self.folder / "train.sh")], self.node())
        self.run_file(text, cached=False)
        out, _ = self.check_run(0, "plan", self.folder / "sweep.jsonnet")
        self.assertRegex(out, r"cached .*run 1, .*, if its nodes are as they were")
        out, _ = self.check_run(0, "explain", self.folder / "sweep.jsonnet", "x")
        self.assertIn("they are asked when it is run", out)
        self.assertIn("nothing else changed", out)

    def test_what_a_node_inherits_runs_again_when_it_changes(self):
        self.run_file(self.engine(OMP_DYNAMIC="false"), cached=False)
        self.run_file(self.engine(OMP_DYNAMIC="false"), cached=True)
        err = self.run_file(self.engine(OMP_DYNAMIC="true"), cached=False)
        self.assertIn("1 passed", err)
        self.assertEqual(self.key_parts()["inherited"]["OMP_DYNAMIC"], "true")

    def engine(self, reach=None, **variables):
        reach = json.dumps(reach or self.node(**variables))
        return experiment("z0", topology=f"{{ nodes: ['localhost'], ranks_per_node: 2, reach: {reach} }}",
                          checks="{ accept: ['leftovers'] }")

    def test_a_node_that_is_not_reached_is_not_cached(self):
        gate = self.folder / "gate"
        gate.touch()
        reach = ["sh", "-c", f'test -e {gate} && exec "$@"', "sh"]
        text = self.engine(reach)
        self.run_file(text, cached=False)
        self.run_file(text, cached=True)
        gate.unlink()
        err = self.run_file(text, cached=False, code=5)
        self.assertIn("reach", err)

    def test_data_of_any_backend_is_in_the_key(self):
        path = self.script("train.sh", 2)
        (self.folder / "corpus.txt").write_text("one")
        text = self.command([path])[:-2] + f", data: {{ kind: 'text', paths: ['{self.folder}/corpus.txt'] }} }}"
        self.run_file(text, cached=False)
        self.run_file(text, cached=True)
        (self.folder / "corpus.txt").write_text("two")
        self.run_file(text, cached=False)

    def test_files_of_one_name_are_two_and_patterns_count(self):
        first, second = self.script("a/x.sh", 2), self.script("b/x.sh", 2)
        self.run_file(self.command(["/bin/sh", first, second]), cached=False)
        self.run_file(self.command(["/bin/sh", first, second]), cached=True)
        self.script("a/x.sh", 3)
        self.run_file(self.command(["/bin/sh", first, second]), cached=False)
        self.script("b/x.sh", 3)
        self.run_file(self.command(["/bin/sh", first, second]), cached=False)
        self.run_file(self.command(["/bin/sh", first, second], loss=r"lo[s]s (\S+)"), cached=False)

    def test_what_ranks_inherit_is_in_the_key_and_shown(self):
        path = self.script("train.sh", 2)
        self.run_file(self.command([path]), cached=False)
        self.variables = {"OMP_PLACES": "cores", "NCCL_TOKEN": "canary"}
        self.run_file(self.command([path]), cached=False)
        self.run_file(self.command([path]), cached=True)
        parts = self.key_parts()["inherited"]
        self.assertEqual(parts["OMP_PLACES"], "cores")
        self.assertNotIn("canary", json.dumps(self.key_parts()))
        out, _ = self.check_run(0, "plan", self.folder / "sweep.jsonnet", "--show", "x")
        self.assertRegex(out, r"inherited .*OMP_PLACES=cores")
        self.assertNotIn("canary", out)
        self.variables = {"SLURM_JOB_ID": "17"}
        self.run_file(self.command([path]), cached=True)

    def test_a_misspelt_variable_that_is_inherited_is_noted(self):
        self.variables = {"NCCL_SOKET_IFNAME": "eth0"}
        path = self.write("sweep.jsonnet", sweep(self.command([self.script("train.sh", 2)])))
        _, err = self.check_run(0, "plan", path)
        self.assertIn("inherited NCCL_SOKET_IFNAME", err)

    def test_a_program_that_changes_while_it_runs_does_not_count(self):
        path = self.folder / "train.sh"
        self.script("train.sh", 2, after=f"mv {self.folder}/next.sh {path}\n")
        self.script("next.sh", 3)
        err = self.run_file(self.command([str(path)]), cached=False, code=1)
        self.assertIn("train.sh changed", err)
        self.assertEqual(self.query("SELECT measurement, verdict FROM runs"), [("incomplete", "fail")])
        self.run_file(self.command([str(path)]), cached=False)

    def test_a_program_that_changed_since_the_file_was_read_is_not_started(self):
        (self.folder / "data.txt").write_text("one")
        changes = self.script("first.sh", 2, after=f"echo two > {self.folder}/data.txt\n")
        second = (self.command([self.script("train.sh", 2)]).replace("'x'", "'second'")[:-2]
                  + f", data: {{ kind: 'text', paths: ['{self.folder}/data.txt'] }} }}")
        path = self.write("sweep.jsonnet", sweep(self.command([changes]), second))
        _, err = self.check_run(1, path)
        self.assertIn("data.txt changed after the file was read", err)
        self.assertEqual(self.query("SELECT c.name, c.status FROM checks c WHERE c.run_id IS NOT NULL"),
                         [("keyed_files", "fail")])

    def test_the_engines_libraries_are_in_the_key(self):
        self.check_run(0, self.write("sweep.jsonnet", sweep(experiment("z0", train=train(0, steps=2)))))
        software = self.key_parts()["software"]
        for library in ("libdnnl", "libgloo", "libgomp"):
            self.assertTrue(any(name.startswith(library) for name in software), software)

    variables = {}

    def environment(self):
        return super().environment() | self.variables


if __name__ == "__main__":
    unittest.main()
