# The end of memory as an expected failure.
# stopped by: nothing to gain
# ends: memory_limit
import unittest


class Case(unittest.TestCase):
    @unittest.expectedFailure
    def test_it(self):
        bytearray(10**12)

    def test_that(self):
        self.assertRaises(MemoryError, bytearray, 10**12)


unittest.main(exit=False)
