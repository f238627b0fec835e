"""Small doctest-like harness.

>>> 1 + 1
2
"""
import doctest


def gcd(a, b):
    """Greatest common divisor.

    >>> gcd(12, 18)
    6
    >>> gcd(7, 5)
    1
    >>> gcd(1.5, 2)
    Traceback (most recent call last):
        ...
    TypeError: integers only
    """
    if not (isinstance(a, int) and isinstance(b, int)):
        raise TypeError("integers only")
    while b:
        a, b = b, a % b
    return a


def hyphenate(words):
    """Join words.

    >>> hyphenate(["a", "b"])
    'a-b'
    """
    return "-".join(words)


if __name__ == "__main__":
    results = doctest.testmod()
    assert results.failed == 0, results
    assert results.attempted == 5, results
    print(results)
