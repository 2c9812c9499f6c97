"""The megatron backend, end to end, against a stand-in that knows the arguments of each version."""
import json
import os
import shutil
import unittest

from tests.e2e.harness import RunnerTest, sweep, two_nodes

HERE = os.path.abspath("tests/megatron")
MODEL = """{ name: 'tiny', layers: 2, hidden: 64, heads: 4, kv_heads: 2, head_size: 16, ffn: 128, vocab: 1000,
  max_seq_len: 64, norm: 'rmsnorm', norm_eps: 1e-6, position: 'rope', activation: 'swiglu', qk_norm: true }"""
TWO_NODES = two_nodes(2)


class MegatronTest(RunnerTest):
    def tree(self, minor):
        root = self.folder / f"megatron-0.{minor}"
        (root / "megatron/core").mkdir(parents=True, exist_ok=True)
        (root / "megatron/core/package_info.py").write_text(
            f"MAJOR = 0\nMINOR = {minor}\nPATCH = 0\nPRE_RELEASE = ''\n")
        shutil.copy(f"{HERE}/pretrain_gpt.py", root)
        return str(root)

    def experiment(self, name, minor, stage, megatron="", topology="{ nodes: ['localhost'], ranks_per_node: 2 }",
                   env="", more=""):
        root = self.tree(minor)
        return f"""{{
          name: '{name}', backend: 'megatron', device: 'cpu', model: {MODEL}, data: {{ kind: 'random' }},
          train: {{ zero_stage: {stage}, micro_batch: 2, global_batch: 16, seq_len: 32, steps: 8, warmup_steps: 2 }},
          topology: {topology}, limits: {{ total_s: 60, grace_s: 1 }},
          env: {{ PATH: '{HERE}:/usr/bin:/bin', {env} }},
          megatron: {{ root: '{root}', {megatron} }}, {more}
        }}"""

    def run_file(self, code, *experiments):
        return self.check_run(code, self.write("sweep.jsonnet", sweep(*experiments)))

    def effective(self):
        return dict(self.query(
            "SELECT e.name, r.zero_effective FROM runs r JOIN experiments e ON e.id = r.experiment_id"))

    def test_each_version_takes_the_arguments_of_its_stages(self):
        experiments, wanted = [], {}
        for minor in (11, 13, 16, 20):
            for stage in (0, 1):
                name = f"ddp{minor}_z{stage}"
                experiments.append(self.experiment(name, minor, stage))
                wanted[name] = stage
        for minor in (12, 14, 20):
            for stage in (0, 1, 2):
                name = f"fsdp{minor}_z{stage}"
                experiments.append(self.experiment(name, minor, stage, "data_parallel: 'fsdp'"))
                wanted[name] = stage
        self.run_file(0, *experiments)
        self.assertEqual(self.effective(), wanted)

    @unittest.skipUnless(TWO_NODES, "needs an address that is no loopback")
    def test_the_record_holds_steps_rates_memory_and_world(self):
        self.run_file(0, self.experiment("z1", 16, 1, topology=TWO_NODES))
        rows = self.query("SELECT step, step_ms, tokens, loss FROM steps ORDER BY step")
        self.assertEqual([row[0] for row in rows], list(range(1, 9)))
        self.assertEqual(rows[3][1:3], (101.0, 16 * 32))  # 100 + 4 % 3 ms
        self.assertEqual(self.query("SELECT world_size_effective FROM runs"), [(4,)])
        # 32346.11 MiB
        self.assertEqual(self.query("SELECT total FROM memory WHERE kind = 'measured'"), [(33917354639,)])

    def test_zero_2_with_ddp_is_refused_with_the_alternatives(self):
        _, err = self.run_file(2, self.experiment("z2", 14, 2))
        self.assertIn("optim_grads without FSDP is ZeRO-1", err)
        self.assertIn("data_parallel: 'fsdp'", err)
        self.assertFalse(self.db.exists())

    def test_allow_effective_runs_and_labels_what_is_in_effect(self):
        self.run_file(0, self.experiment("z2", 14, 2, "allow_effective: true"))
        self.assertEqual(self.query("SELECT zero_requested FROM experiments"), [(2,)])
        self.assertEqual(self.effective(), {"z2": 1})

    def test_exit_0_before_the_last_iteration_is_no_pass(self):
        _, err = self.run_file(1, self.experiment("z0", 14, 0, env="STAND_IN_LAST: '5'"))
        self.assertIn("5 of 8 steps", err)

    def test_a_checkpoint_is_loaded_by_a_second_run(self):
        checked = "checkpoint: { save_at_end: true, verify_load: true }"
        self.run_file(0, self.experiment("z1", 14, 1, more=checked))
        self.assertEqual(
            self.query("SELECT name, status FROM checks WHERE run_id IS NOT NULL"), [("checkpoint.verify_load", "pass")])
        _, err = self.run_file(1, self.experiment("z1", 14, 1, more=checked, env="STAND_IN_FORGETS: '1'"))
        self.assertIn("step 5: loss", err)

    def test_an_argument_that_the_version_does_not_know_is_the_reason(self):
        _, err = self.run_file(1, self.experiment("z0", 14, 0, "args: ['--no-such-flag']"))
        self.assertIn("no-such-flag", err)
        codes = [row[0] for row in self.query("SELECT code FROM findings ORDER BY id")]
        self.assertEqual(codes[0], "megatron-unknown-argument")

    def test_a_tree_that_is_not_there_is_named_with_what_was_tried(self):
        experiment = self.experiment("z0", 14, 0).replace(f"{self.folder}/megatron-0.14", "/nonexistent/megatron")
        _, err = self.run_file(1, experiment)
        self.assertIn("/nonexistent/megatron/megatron/core/package_info.py", err)
        self.assertIn("--help", err)

    @unittest.skipUnless(TWO_NODES, "needs an address that is no loopback")
    def test_an_own_script_gets_its_variables_and_its_log_per_node(self):
        root = self.tree(14)
        script = self.folder / "megatron-0.14" / "own.sh"
        script.write_text(f"""#!/bin/sh
echo "rank $NODE_RANK of $NNODES, $NPROC_PER_NODE a node, $MASTER_ADDR:$MASTER_PORT, stage $ZERO_STAGE"
exec torchrun --nnodes=$NNODES --nproc_per_node=$NPROC_PER_NODE --node_rank=$NODE_RANK --master_addr=$MASTER_ADDR \\
  --master_port=$MASTER_PORT {root}/pretrain_gpt.py "$@"
""")
        script.chmod(0o755)
        arguments = """--num-layers 2 --hidden-size 64 --num-attention-heads 4 --micro-batch-size 2 --global-batch-size 16
          --seq-length 32 --train-iters 8 --vocab-size 999 --tensor-model-parallel-size 1
          --pipeline-model-parallel-size 1 --lr 1e-3 --use-distributed-optimizer""".split()
        artifacts = self.folder / "artifacts"
        megatron = (f"script: 'own.sh', own_script: true, args: {json.dumps(arguments)}, "
                    f"artifact_root: '{artifacts}'")
        self.run_file(0, self.experiment("z1", 14, 1, megatron, topology=TWO_NODES))
        self.assertEqual(self.effective(), {"z1": 1})
        for node in (0, 1):
            log = (artifacts / "logs" / f"z1_node{node}.log").read_text()
            self.assertRegex(log, rf"rank {node} of 2, 2 a node, [^:]+:\d+, stage 1")

    @unittest.skipUnless(os.path.exists("/usr/bin/torchrun"), "needs torchrun")
    def test_the_real_torchrun_takes_the_command(self):
        experiment = self.experiment("z1", 14, 1).replace(f"{HERE}:", "")
        self.run_file(0, experiment)
        self.assertEqual(self.effective(), {"z1": 1})


if __name__ == "__main__":
    unittest.main()
