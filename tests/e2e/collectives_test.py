"""Collective operations as an experiment and as a gate."""
import json
import unittest

from tests.e2e.harness import RunnerTest, experiment, sweep


def links(expect="{}", ops="['all_reduce', 'send_receive']"):
    return ("{ name: 'links', backend: 'collectives', device: 'cpu', topology: { nodes: ['localhost'], ranks_per_node: 2 },"
            f" collectives: {{ ops: {ops}, min_bytes: 8, max_bytes: 4096, iterations: 2, warmup: 1 }}, expect: {expect} }}")


class CollectivesTest(RunnerTest):
    def test_measures_records_and_lets_through(self):
        path = self.write("gate.jsonnet", sweep(
            links("{ min_busbw_gb_s: 1e-9, world_size: 2 }"), experiment("z0", needs="['links']")))
        self.check_run(0, path)
        rows = self.query(
            "SELECT op, size_bytes, in_place, wrong, algbw_gb_s, busbw_gb_s, calls FROM collectives"
            " WHERE size_bytes IS NOT NULL ORDER BY step")
        # Ten sizes: all_reduce out of place and in place, send_receive out of place.
        self.assertEqual(len(rows), 30)
        self.assertEqual({(op, size, in_place) for op, size, in_place, *_ in rows},
                         {(op, 2**power, in_place) for power in range(3, 13) for op, in_place in
                          [("all_reduce", 0), ("all_reduce", 1), ("send_receive", 0)]})
        for _, _, _, wrong, algbw, busbw, calls in rows:
            self.assertEqual((wrong, calls), (0, 2))
            self.assertGreater(algbw, 0)
            self.assertAlmostEqual(busbw, algbw)  # two ranks: both factors are 1
        self.assertEqual(self.query("SELECT verdict FROM runs ORDER BY id"), [("pass",), ("pass",)])
        self.show_has_the_table(self.query("SELECT min(id) FROM runs")[0][0])
        _, err = self.check_run(0, path)
        self.assertIn("2 cached", err)

    def show_has_the_table(self, run_id):
        out, _ = self.check_run(0, "show", run_id, "--format", "json")
        rows = json.loads(out)["collective operations"]
        self.assertEqual(len(rows), 30)
        self.assertEqual({row["place"] for row in rows}, {"in", "out of"})
        out, _ = self.check_run(0, "show", run_id)
        self.assertIn("collective operations", out)

    def test_a_slow_link_stops_what_needs_it(self):
        path = self.write("gate.jsonnet", sweep(links("{ min_busbw_gb_s: 1e6 }"), experiment("z0", needs="['links']")))
        self.check_run(1, path)
        self.assertEqual(self.query("SELECT verdict FROM runs"), [("fail",)])
        reason, = self.query("SELECT verdict_reason FROM runs")[0]
        self.assertIn("min_busbw_gb_s", reason)
        self.assertEqual(self.query("SELECT not_run FROM experiments WHERE name = 'z0'"), [("need_failed",)])

    def test_an_operation_that_there_is_not_is_refused(self):
        path = self.write("gate.jsonnet", sweep(links(ops="['all_redcue']")))
        _, err = self.check_run(2, path)
        self.assertIn("all_redcue", err)


if __name__ == "__main__":
    unittest.main()
