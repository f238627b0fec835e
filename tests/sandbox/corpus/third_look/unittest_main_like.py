import io
import unittest


def roman(n):
    table = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
    if not 0 < n < 4000:
        raise ValueError(f"out of range: {n}")
    out = []
    for value, sym in table:
        q, n = divmod(n, value)
        out.append(sym * q)
    return "".join(out)


def from_roman(s):
    vals = dict(zip("IVXLCDM", (1, 5, 10, 50, 100, 500, 1000)))
    total = 0
    for a, b in zip(s, s[1:] + " "):
        v = vals[a]
        total += -v if vals.get(b, 0) > v else v
    return total


class RomanTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.known = {1: "I", 4: "IV", 1994: "MCMXCIV", 3999: "MMMCMXCIX"}

    def test_known(self):
        for n, s in self.known.items():
            self.assertEqual(roman(n), s)

    def test_roundtrip(self):
        for n in range(1, 500, 7):
            self.assertEqual(from_roman(roman(n)), n)

    def test_range(self):
        self.assertRaises(ValueError, roman, 0)
        self.assertRaises(ValueError, roman, 4000)


class Deliberate(unittest.TestCase):
    def test_fail(self):
        self.assertEqual(1, 2, "one is not two")

    def test_error(self):
        raise RuntimeError("oops")


if __name__ == "__main__":
    stream = io.StringIO()
    loader = unittest.TestLoader()
    suite = unittest.TestSuite()
    suite.addTests(loader.loadTestsFromTestCase(RomanTest))
    res = unittest.TextTestRunner(stream=stream, verbosity=2).run(suite)
    assert res.wasSuccessful()
    assert "OK" in stream.getvalue()
    bad = unittest.TestResult()
    loader.loadTestsFromTestCase(Deliberate).run(bad)
    assert len(bad.failures) == 1 and len(bad.errors) == 1
    assert "one is not two" in bad.failures[0][1]
    print("ok")
