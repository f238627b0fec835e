# A docstring that was never written, and so was never looked at.
# stopped by: nothing to gain
# ends: error
import doctest


def f():
    """Nothing."""


f.__doc__ = "\n>>> reached(1)\n"
doctest.run_docstring_examples(f, globals())
assert doctest.testmod().attempted == 0
1 / 0
