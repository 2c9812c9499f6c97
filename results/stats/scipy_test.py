"""The statistics against SciPy and NumPy on the same data."""
import random
import subprocess
import sys
import unittest

try:
    import numpy
    from scipy import stats
except ImportError:
    print("skipped: needs python3-scipy and python3-numpy")
    sys.exit(0)

PROBE = sys.argv.pop(1)


def probe(questions):
    """The answers to [(method, numbers, numbers)], a list of numbers each."""
    lines = [
        ";".join([method, " ".join(map(repr, a)), " ".join(map(repr, b))])
        for method, a, b in questions
    ]
    out = subprocess.run([PROBE], input="\n".join(lines) + "\n", text=True,
                         stdout=subprocess.PIPE, check=True).stdout
    return [[float(word) for word in line.split()]
            for line in out.splitlines()]


def samples(count):
    """Pairs of samples, some with ties."""
    source = random.Random(7)
    for i in range(count):
        digits = 1 if i % 3 == 0 else 6
        shift = source.uniform(-1, 1)
        yield ([round(source.gauss(10, 1), digits)
                for _ in range(source.randint(5, 60))],
               [round(source.gauss(10 + shift, 2), digits)
                for _ in range(source.randint(5, 60))])


class ScipyTest(unittest.TestCase):

    def assert_close(self, found, expected, tolerance=1e-9):
        numpy.testing.assert_allclose(found, expected, rtol=tolerance,
                                      atol=1e-12)

    def test_quantiles_are_numpys(self):
        pairs = list(samples(40))
        for q in (0.0, 0.025, 0.5, 0.95, 1.0):
            for (a, _), found in zip(
                    pairs, probe([("quantile", a, [q]) for a, _ in pairs])):
                self.assert_close(found, [numpy.quantile(a, q)])

    def test_rank_test_is_brunner_and_munzels(self):
        pairs = list(samples(40))
        answers = probe([("rank", a, b) for a, b in pairs])
        for (a, b), (p_value, chance) in zip(pairs, answers):
            self.assert_close([p_value], [stats.brunnermunzel(a, b).pvalue],
                              1e-7)
            # Mann and Whitney's U counts pairs in which the first is larger.
            u = stats.mannwhitneyu(a, b).statistic
            self.assert_close([chance], [1 - u / (len(a) * len(b))])

    def test_holm_steps_down(self):
        source = random.Random(3)
        for count in (1, 2, 5, 20):
            p_values = [source.random() ** 3 for _ in range(count)]
            order = numpy.argsort(p_values)
            expected = numpy.empty(count)
            # max over j <= i of (m - j) p(j), as in R's p.adjust.
            steps = (count - numpy.arange(count)) * numpy.array(p_values)[order]
            expected[order] = numpy.minimum(
                1, numpy.maximum.accumulate(steps))
            self.assert_close(probe([("holm", p_values, [])])[0], expected)

    def test_autocovariances_are_numpys(self):
        for a, _ in samples(10):
            centered = numpy.array(a) - numpy.mean(a)
            full = numpy.correlate(centered, centered, "full") / len(a)
            lags = min(4, len(a) - 1)
            self.assert_close(probe([("autocovariance", a, [lags])])[0],
                              full[len(a) - 1:len(a) + lags])

    def test_slope_is_theil_and_sens(self):
        source = random.Random(5)
        for n in (12, 40, 200):
            series = [100 + 0.5 * i + source.gauss(0, 1) for i in range(n)]
            self.assert_close(probe([("slope", series, [])])[0],
                              [stats.theilslopes(series).slope])

    def test_student_is_scipys(self):
        for t, df in ((-3.1, 1), (0.4, 2.5), (1.96, 38), (5, 1e5)):
            found = probe([("student", [t, df], [0.025])])[0]
            self.assert_close(found, [stats.t.cdf(t, df),
                                      stats.t.ppf(0.025, df)], 1e-7)


if __name__ == "__main__":
    unittest.main()
