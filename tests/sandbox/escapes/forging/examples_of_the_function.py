# Examples of the function, which would run as the test's own code.
# stopped by: guard
# ends: policy
def F():
    """
    >>> EXPECTED.clear()
    """
    return 1


# --- its test
import doctest

EXPECTED = [2]
doctest.run_docstring_examples(F, globals())
assert [F()] == EXPECTED
