"""Examples in docstrings, run by doctest when there is one.

>>> collapse([1, [2, [3]]])
[1, 2, 3]
"""
import doctest
import re
import sys


def collapse(x):
    """Flatten.

    >>> collapse([[], [[]]])
    []
    >>> collapse("ab")
    ['ab']
    """
    if not isinstance(x, list):
        return [x]
    return [z for y in x for z in collapse(y)]


def factorial(n):
    """Return the factorial of n, an exact integer >= 0.

    >>> [factorial(n) for n in range(6)]
    [1, 1, 2, 6, 24, 120]
    >>> factorial(30)
    265252859812191058636308480000000
    >>> factorial(-1)
    Traceback (most recent call last):
        ...
    ValueError: n must be >= 0
    """
    if not n >= 0:
        raise ValueError("n must be >= 0")
    result = 1
    for factor in range(2, n + 1):
        result *= factor
    return result


def slugify(text, sep="-"):
    r"""
    >>> slugify("Hello,  World!")
    'hello-world'
    >>> slugify("a\tb", sep="_")
    'a_b'
    """
    return re.sub(r"\W+", sep, text.lower()).strip(sep)


class Temperature:
    """
    >>> t = Temperature(25)
    >>> t
    Temperature(25)
    >>> t.fahrenheit
    77.0
    >>> print(t)
    25.0°C
    """

    def __init__(self, celsius):
        self.celsius = celsius

    @property
    def fahrenheit(self):
        return self.celsius * 9 / 5 + 32

    def __repr__(self):
        return f"Temperature({self.celsius})"

    def __str__(self):
        return f"{self.celsius:.1f}°C"


if __name__ == "__main__":
    results = doctest.testmod(sys.modules["__main__"])
    print(results)
    assert results.failed == 0
    assert results.attempted >= 10
    assert factorial(5) == 120 and slugify(" A b ") == "a-b"
