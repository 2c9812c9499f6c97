"""What bad input gets: exit 2, a message that helps, nothing started, no database touched."""
import os
import sqlite3
import unittest

from tests.e2e.harness import RunnerTest, experiment, sweep, train

# What is wrong, the file's text (None: no file), what the message must hold.
FILES = [
    ("missing", None, "file.jsonnet"),
    ("empty", "", "file.jsonnet"),
    ("not Jsonnet", "{ a: ", "file.jsonnet:1"),
    ("endless loop", "local f(x) = f(x + 1) tailstrict; f(0)", "file.jsonnet"),
    ("endless recursion", "local f(x) = 1 + f(x); f(0)", "file.jsonnet"),
    ("wrong type", "[1, 2]", "object"),
    ("forbidden import", "importstr '/etc/passwd'", "/etc/passwd"),
    ("no experiment", sweep(), "experiments"),
    ("unknown field", sweep(experiment("z0", trian="{}")), "did you mean"),
    ("batch", sweep(experiment("z0", train=train(0, global_batch=6))), "global_batch 6"),
    ("cycle", sweep(experiment("a", needs="['b']"), experiment("b", needs="['a']")), "needs itself"),
    ("path in a name", sweep(experiment("../z0")), "name"),
    ("host that is an option", sweep(experiment("z0", topology="{ nodes: ['-oProxyCommand=x'], ranks_per_node: 1 }")), "nodes"),
]


class RefusalTest(RunnerTest):
    def test_a_bad_file_starts_nothing_and_touches_no_database(self):
        for what, text, part in FILES:
            with self.subTest(what):
                path = self.folder / "file.jsonnet"
                path.unlink(missing_ok=True)
                if text is not None:
                    path.write_text(text)
                _, err = self.check_run(2, path, "--eval-s", "3")
                self.assertIn(part, err)
                self.assertFalse(self.db.exists())

    def test_all_faults_of_a_file_are_told_at_once(self):
        path = self.write("file.jsonnet", sweep(
            experiment("z0", train=train(7)), experiment("z1", backend="'engin'"), experiment("z1")))
        _, err = self.check_run(2, path)
        for part in ("zero_stage", "engin", "z1"):
            self.assertIn(part, err)

    def test_a_database_that_is_not_ours_is_left_as_it_is(self):
        path = self.write("sweep.jsonnet", sweep(experiment("z0")))
        self.db.parent.mkdir()
        for what, make in [("text", lambda: self.db.write_text("notes\n" * 100)), ("foreign", self.make_foreign)]:
            with self.subTest(what):
                self.db.unlink(missing_ok=True)
                make()
                before = self.db.read_bytes()
                _, err = self.check_run(2, path)
                self.assertIn("results.db", err)
                self.assertEqual(self.db.read_bytes(), before)

    def make_foreign(self):
        connection = sqlite3.connect(self.db)
        connection.execute("CREATE TABLE theirs (x)")
        connection.commit()
        connection.close()

    def test_a_newer_schema_is_refused(self):
        path = self.write("sweep.jsonnet", sweep(experiment("z0")))
        self.check_run(0, path)
        connection = sqlite3.connect(self.db)
        connection.execute("PRAGMA user_version = 9999")
        connection.commit()
        connection.close()
        _, err = self.check_run(2, path)
        self.assertIn("9999", err)

    def test_a_folder_that_cannot_be_written_is_named(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        path = self.write("sweep.jsonnet", sweep(experiment("z0")))
        self.folder.chmod(0o500)
        self.addCleanup(self.folder.chmod, 0o700)
        _, err = self.check_run(2, path)
        self.assertIn("results", err)

    def test_a_report_of_nothing_says_what_to_run(self):
        _, err = self.check_run(4, "report", "--compare", "z0,z1")
        self.assertIn("runner", err)


if __name__ == "__main__":
    unittest.main()
