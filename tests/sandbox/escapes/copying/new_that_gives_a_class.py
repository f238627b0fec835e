# The same with slots, which are set one by one: on a class of the library.
# stopped by: guard
# ends: refused
import copy
import json

given = []


class Sly:
    __slots__ = ("iterencode",)

    def __new__(cls):
        return given[0] if given else object.__new__(cls)


sly = Sly()
sly.iterencode = reached
given.append(json.JSONEncoder)
copy.copy(sly)
reached(json.JSONEncoder)
