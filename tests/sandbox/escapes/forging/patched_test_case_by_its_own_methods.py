# The library's own methods, given its class in place of an instance, to change it.
# stopped by: nothing to gain
# ends: failed
import unittest

result = unittest.TestResult()
context = unittest.TestCase().assertRaises(KeyError)
for method, arguments in (
    (unittest.TestCase.addCleanup, (print,)),
    (unittest.TestCase.run, (result,)),
    (unittest.TestCase.subTest, ()),
    (unittest.TestCase.__init__, ("fail",)),
    (unittest.TestResult.startTest, (1,)),
    (unittest.TestResult.stop, ()),
    (unittest.TestSuite.addTest, (print,)),
    (type(context).__exit__, (KeyError, KeyError(), None)),
):
    for target in (unittest.TestCase, unittest.TestResult, unittest.defaultTestLoader):
        try:
            method(target, *arguments)
        except (AttributeError, TypeError, ValueError):
            pass
seen = {*vars(unittest.TestCase)} | {*vars(unittest.TestResult)}
assert not {"exception", "testsRun_", "_unittest_cleanups", "_found", "_counted"} & seen


def F():
    return 1


# --- its test
import unittest

unittest.TestCase().assertEqual(F(), 2)
