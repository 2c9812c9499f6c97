"""The report in a browser: nothing complains or asks the network, every chart is drawn, tables sort by keyboard.

With PICTURES=FOLDER it leaves pictures there, light, dark, narrow and printed.
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

from tests.html.browser import CHROMIUM, Browser

CHARTS = {"scaling", "speed", "steps", "losses", "phases", "memory", "sent", "exposed", "busbw", "telemetry"}
DRAWN = "[...document.querySelectorAll('figure')].filter(f => f.querySelector('svg path, svg rect, svg circle')).map(f => f.id)"


@unittest.skipUnless(CHROMIUM, "no Chromium here (Debian: apt-get install chromium)")
class ReportPageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="zs-pages-")
        subprocess.run([os.path.abspath("results/html/sample_pages"), cls.folder.name], check=True,
                       env={**os.environ, "TEST_TMPDIR": cls.folder.name})
        cls.browser = Browser().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def open(self, name, **options):
        page = self.browser.open(f"file://{self.folder.name}/{name}.html", **options)
        self.assertEqual(page.complaints(), [])
        self.assertEqual(page.requests(), [])
        return page

    def test_every_chart_is_drawn(self):
        page = self.open("every")
        self.assertEqual(set(page.evaluate(DRAWN)), CHARTS)
        self.assertGreater(page.evaluate("document.querySelectorAll('td.interval svg').length"), 4)

    def test_charts_without_data_are_not_there(self):
        page = self.open("few")
        self.assertEqual(set(page.evaluate("[...document.querySelectorAll('figure')].map(f => f.id)")),
                         set(page.evaluate(DRAWN)))
        self.assertNotIn("scaling", page.evaluate(DRAWN))

    def test_each_picture_has_a_name_for_who_cannot_see_it(self):
        page = self.open("every")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('svg')].filter(s => !s.getAttribute('aria-label')).length"), 0)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('table')].filter(t => !t.caption).length"), 0)

    def test_texts_on_an_axis_do_not_overlap(self):
        overlaps = """[...document.querySelectorAll('svg .axis')].flatMap(axis => {
            const boxes = [...axis.querySelectorAll('text')].map(t => t.getBoundingClientRect()).filter(b => b.width);
            return boxes.filter((a, i) => boxes.some((b, j) => i < j && a.left < b.right && b.left < a.right &&
                                                                a.top + 2 < b.bottom && b.top + 2 < a.bottom));
        }).length"""
        for name, width in (("every", 1200), ("few", 1200), ("every", 380)):
            self.assertEqual(self.open(name, width=width).evaluate(overlaps), 0, f"{name} at {width}")

    def test_nothing_is_wider_than_a_narrow_page(self):
        page = self.open("every", width=380)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 380)

    def test_a_table_is_sorted_by_keyboard(self):
        page = self.open("few")
        column = "[...document.querySelectorAll('#summary tbody tr')].map(r => Number(r.cells[7].dataset.value))"
        page.evaluate("document.querySelectorAll('#summary thead button')[6].focus()")
        page.press("Tab", 9)
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "step ms")
        page.press("Enter", 13)
        self.assertEqual(page.evaluate("document.activeElement.parentNode.getAttribute('aria-sort')"), "ascending")
        values = page.evaluate(column)
        self.assertEqual(values, sorted(values))
        page.press("Enter", 13)
        self.assertEqual(page.evaluate(column), sorted(values, reverse=True))

    def test_hostile_texts_do_nothing(self):
        page = self.open("hostile")
        self.assertIsNone(page.evaluate("window.pwned"))
        self.assertEqual(page.evaluate("document.images.length"), 0)
        self.assertIn("window.pwned=1", page.evaluate("document.querySelector('.verdict').textContent"))

    def test_a_hundred_experiments_of_ten_thousand_steps_open_at_once(self):
        self.assertLess(os.path.getsize(f"{self.folder.name}/long.html"), 10_000_000)
        metrics = self.open("long").metrics()
        spent_s = metrics["ScriptDuration"] + metrics["LayoutDuration"] + metrics["RecalcStyleDuration"]
        self.assertGreater(spent_s, 0)
        self.assertLess(spent_s, 2)

    def test_pictures(self):
        if "PICTURES" not in os.environ:
            self.skipTest("PICTURES is not set")
        folder = pathlib.Path(os.environ["PICTURES"])
        for name, options in (("every", {}), ("few", {}), ("hostile", {}), ("every", {"dark": True}), ("every", {"width": 380})):
            page = self.open(name, **options)
            for part in range(4):
                words = [name, *map(str, options), *map(str, options.values()), str(part)]
                page.screenshot(folder / f"{'_'.join(words)}.png", top=1500 * part)
        self.open("every").pdf(folder / "every.pdf")


if __name__ == "__main__":
    unittest.main()
