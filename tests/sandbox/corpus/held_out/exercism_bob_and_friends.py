"""Exercism-like track: small functions, and their tests in the same file."""
import re
import string
import unittest


def response(said):
    said = said.rstrip()
    if not said:
        return "Hello? Anybody there?"
    is_shout = said.isupper()
    is_question = said.endswith("?")
    if is_shout and is_question:
        return "No need to yell a question."
    if is_shout:
        return "Not so loud."
    if is_question:
        return "Perhaps."
    return "If you say so."


def leap_year(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def distance(strand_a, strand_b):
    if len(strand_a) != len(strand_b):
        raise ValueError("Strands must be of equal length.")
    return sum(a != b for a, b in zip(strand_a, strand_b))


def abbreviate(words):
    return "".join(w[0].upper() for w in re.findall(r"[a-zA-Z']+", words))


def is_isogram(s):
    letters = [c for c in s.lower() if c.isalpha()]
    return len(letters) == len(set(letters))


def is_pangram(sentence):
    return set(string.ascii_lowercase) <= set(sentence.lower())


class ResponseTest(unittest.TestCase):
    def test_statement(self):
        self.assertEqual(response("It rains."), "If you say so.")

    def test_shouting(self):
        self.assertEqual(response("COME HERE!"), "Not so loud.")

    def test_forceful_question(self):
        self.assertEqual(response("WHERE ARE YOU?"), "No need to yell a question.")

    def test_silence(self):
        for s in ("", "          ", "\t\t\t"):
            with self.subTest(s=s):
                self.assertEqual(response(s), "Hello? Anybody there?")


class HammingTest(unittest.TestCase):
    def setUp(self):
        self.strands = "GATTACA", "GACTATA"

    def test_different_strands(self):
        self.assertEqual(distance(*self.strands), 2)

    def test_disallow_first_strand_longer(self):
        with self.assertRaises(ValueError) as err:
            distance("AATG", "AAA")
        self.assertEqual(type(err.exception), ValueError)
        self.assertEqual(err.exception.args[0], "Strands must be of equal length.")


class OthersTest(unittest.TestCase):
    def test_leap(self):
        self.assertIs(leap_year(2000), True)
        self.assertIs(leap_year(1900), False)
        self.assertFalse(leap_year(2015))

    def test_acronym(self):
        self.assertEqual(abbreviate("Just In Time"), "JIT")
        self.assertEqual(abbreviate("Don't repeat yourself"), "DRY")

    def test_sets(self):
        self.assertTrue(is_isogram("black-smith"))
        self.assertFalse(is_isogram("seven"))
        self.assertTrue(is_pangram("Pack my box with five dozen liquor jugs."))


if __name__ == "__main__":
    import sys
    result = unittest.TestResult()
    suite = unittest.TestSuite(
        unittest.TestLoader().loadTestsFromTestCase(c)
        for c in (ResponseTest, HammingTest, OthersTest)
    )
    suite.run(result)
    print("ran", result.testsRun, "failures", len(result.failures), "errors", len(result.errors))
    if not result.wasSuccessful():
        sys.exit(1)
