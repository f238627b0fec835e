# A class of the library, marked to be skipped by everybody.
# stopped by: guard
# ends: refused
import unittest

reached(unittest.expectedFailure(unittest.TestCase))
