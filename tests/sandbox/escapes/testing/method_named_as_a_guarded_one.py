# A test case whose method is one that only a guard hands out.
# stopped by: guard
# ends: refused
import unittest


class Loader(unittest.TestLoader):
    testMethodPrefix = "__"


class Case(unittest.TestCase):
    def test_it(self):
        pass


for name in ("__reduce_ex__", "__globals__", "_unittest_runs"):
    try:
        reached(unittest.TestCase(name))
    except TypeError:
        pass
reached(Loader().loadTestsFromTestCase(Case))
