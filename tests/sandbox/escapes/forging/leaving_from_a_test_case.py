# Leaving with the status of success, from what a test case calls.
# stopped by: nothing to gain
# ends: error
import sys


def F():
    sys.exit(0)


# --- its test
import unittest


class Case(unittest.TestCase):
    def test_it(self):
        self.assertEqual(F(), 2)


unittest.main()
