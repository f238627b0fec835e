# Copying makes an object by `__new__` and gives it the original's attributes: if `__new__` gives
# a module, the module gets them.
# stopped by: guard
# ends: refused
import copy
import math

given = []


class Sly:
    def __new__(cls):
        return given[0] if given else object.__new__(cls)


sly = Sly()
sly.pi = 3
given.append(math)
copy.copy(sly)
reached(math.pi)
