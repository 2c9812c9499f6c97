"""GPUs are sampled while a run goes on; a stand-in answers for the driver's nvidia-smi."""
import unittest

from tests.e2e.harness import RunnerTest, sweep

# --loop=1 of nvidia-smi, faster. FIELD: the name of the reasons that this driver knows.
STAND_IN = """#!/bin/sh
case "$1" in
  *compute-apps*) exit 0 ;;
  *--query-gpu=index,name,memory.total*) echo "0, NVIDIA H200, 143771, 4, 0, No, No"; exit 0 ;;
  *--query-gpu=name*) echo "NVIDIA H200, 143771, 580.1"; exit 0 ;;
  *FIELD*) ;;
  *) echo "Field \\"clocks_event_reasons.active\\" is not a valid field to query."; exit 2 ;;
esac
i=0
while :; do
  i=$((i + 1))
  echo "0, 97, 640.25, 58, 1710, 120000, 700.00, ECC, 0x0000000000000004"
  echo "1, [N/A], 90.10, 31, 345, 4, 700.00, [N/A], 0x0000000000000001"
  sleep 0.2
done
"""

COMMAND = r"""{
  name: 'job', backend: 'command', device: 'cuda', topology: { nodes: ['localhost'], ranks_per_node: 1 },
  train: { steps: 12, warmup_steps: 1, global_batch: 1, micro_batch: 1, seq_len: 1 },
  command: {
    argv: ['sh', '-c', 'for i in $(seq 12); do echo step $i ms 150; sleep 0.15; done'], torchrun: false,
    step_pattern: @'step (\d+)', step_ms_pattern: @'ms (\d+)',
  },
}"""


class GpuSamplesTest(RunnerTest):
    def stand_in(self, field, ecc="0"):
        folder = self.folder / "bin"
        folder.mkdir()
        program = folder / "nvidia-smi"
        program.write_text(STAND_IN.replace("FIELD", field).replace("ECC", ecc))
        program.chmod(0o755)

    def environment(self):
        environment = super().environment()
        environment["PATH"] = f"{self.folder}/bin:{environment['PATH']}"
        return environment

    def run_job(self):
        path = self.write("sweep.jsonnet", sweep(COMMAND))
        self.check_run(0, path)
        self.assert_nothing_left()

    def test_samples_are_in_the_record_with_what_is_unknown_left_out(self):
        self.stand_in("clocks_event_reasons")
        self.run_job()
        rows = self.query("SELECT gpu, util_pct, power_w, temp_c, sm_clock_mhz, mem_used_bytes, power_cap_w, ecc_errors, "
                          "throttle_reasons FROM gpu_samples WHERE run_id = 1 AND node_rank = 0 ORDER BY gpu, at_unix_ms")
        self.assertGreaterEqual(len(rows), 4)
        self.assertEqual(rows[0], (0, 97, 640.25, 58, 1710, 120000 * 2**20, 700, 0, "sw_power_cap"))
        self.assertEqual(rows[-1], (1, None, 90.1, 31, 345, 4 * 2**20, 700, None, ""))
        _, page, _ = self.run_runner("report", "--format", "html")  # of one experiment: nothing to compare
        self.assertIn("node 0 gpu 1", page)

    def test_an_older_driver_is_asked_by_the_older_name(self):
        self.stand_in("clocks_throttle_reasons")
        self.run_job()
        self.assertGreaterEqual(self.query("SELECT count(*) FROM gpu_samples")[0][0], 4)
        self.assertEqual(self.query("SELECT message FROM findings"), [])

    def test_a_driver_that_tells_nothing_is_noted_and_the_run_goes_on(self):
        self.stand_in("no_such_name")
        self.run_job()
        self.assertEqual(self.query("SELECT count(*) FROM gpu_samples"), [(0,)])
        ((message,),) = self.query("SELECT message FROM findings")
        self.assertIn("no samples of its GPUs: Field", message)

    def test_memory_errors_that_come_during_the_run_are_a_finding(self):
        self.stand_in("clocks_event_reasons", ecc="$((i > 2 ? 3 : 1))")
        path = self.write("sweep.jsonnet", sweep(COMMAND))
        self.run_runner(path)
        ((code, node, message),) = self.query("SELECT code, node, message FROM findings")
        self.assertEqual((code, node), ("cuda-ecc-uncorrectable", "localhost"))
        self.assertIn("GPU 0: 2 uncorrected", message)


if __name__ == "__main__":
    unittest.main()
