# Examples are run among names that were chosen for them: a guard of one's own.
# stopped by: guard
# ends: refused
import doctest


def f():
    """
    >>> __builtins__
    >>> print.__self__
    >>> f.__globals__
    >>> reached(_getattr_(f, "__globals__"))
    """


def guard(thing, name):
    return reached(thing)


names = {"_getattr_": guard, "__builtins__": {"print": reached}, "f": f, "reached": reached}
doctest.run_docstring_examples(f, names)
assert doctest.testmod(extraglobs=names).failed == 4
raise doctest.testmod(globs={"__name__": "F", "__written_here__": 0}).missing
