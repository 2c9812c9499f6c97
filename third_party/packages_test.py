"""setup.sh installs every package whose files the build looks for."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]


class PackagesTest(unittest.TestCase):
    def test_what_the_build_needs_is_installed(self):
        setup = re.search(r'^packages="(.*?)"', (ROOT / "setup.sh").read_text(), re.DOTALL | re.MULTILINE).group(1).split()
        system = (ROOT / "third_party/system.bzl").read_text()
        needed = set(re.findall(r'_lib\("([^"]+)"', system)) | set(re.findall(r'^    "(lib[^"]+)": "', system, re.MULTILINE))
        self.assertGreater(len(needed), 10)
        self.assertEqual(sorted(needed - set(setup)), [])


if __name__ == "__main__":
    unittest.main()
