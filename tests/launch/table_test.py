"""Every test that docs/faults.md names is there, so that no known failure loses its test; and nothing kills by name."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ("base", "engine", "experiments", "results", "runner", "tests")


def sources(*endings):
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in endings and path.resolve() != pathlib.Path(__file__).resolve():
                yield path


def named_tests():
    """(case, test) of the table."""
    for line in (ROOT / "docs/faults.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and re.fullmatch(r"\d{3}", cells[0]):
            for test in re.findall(r"`(\w+)`", cells[2]):
                yield cells[0], test


class TableTest(unittest.TestCase):
    def test_every_named_test_is_there(self):
        words = {"NothingKillsByName"}  # below
        for path in sources(".cc", ".py"):
            words.update(re.findall(r"\w+", path.read_text(errors="replace")))
        missing = [(case, test) for case, test in named_tests() if test not in words]
        self.assertEqual(missing, [])
        self.assertGreaterEqual(len(set(case for case, _ in named_tests())), 40)

    def test_nothing_kills_by_name(self):
        """launch-case 032, NothingKillsByName."""
        found = [str(path.relative_to(ROOT)) for path in sources(".cc", ".h", ".jsonnet", ".libsonnet")
                 if path.parts[len(ROOT.parts)] != "tests"
                 and re.search(r"\b(pkill|killall)\b", path.read_text(errors="replace"))]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
