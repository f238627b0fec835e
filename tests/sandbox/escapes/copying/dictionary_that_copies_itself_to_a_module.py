# A UserDict copies itself in Python: it fills the dictionary of what `__new__` gave.
# stopped by: guard
# ends: refused
import collections
import math

given = []


class Sly(collections.UserDict):
    def __new__(cls):
        return given[0] if given else object.__new__(cls)


sly = Sly()
sly.pi = 3
given.append(math)
try:
    sly.copy()
except (AttributeError, KeyError):
    pass
reached(math.pi) if math.pi == 3 else 1 / 0
