# Examples that the function writes into the test's own docstring, to run among its names.
# stopped by: nothing to gain
# ends: failed
def F(helper):
    helper.__doc__ = ">>> EXPECTED.clear()\n"
    return 1


# --- its test
import doctest

EXPECTED = [2]


def helper():
    """Nothing to run."""


got = F(helper)
doctest.testmod()
assert [got] == EXPECTED
