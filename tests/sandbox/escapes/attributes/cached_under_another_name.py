# A cached property keeps its value under `attrname`, whatever that is: here under the name by
# which `copy` asks how to copy. It was open once.
# stopped by: guard
# ends: refused
import copy
import functools


class Cached(functools.cached_property):
    pass


class Sly:
    how = Cached(lambda self: lambda protocol: (lambda: print, (), (None, {"__kwdefaults__": {}})))


Sly.how.attrname = "__reduce_ex__"
sly = Sly()
sly.how
copy.copy(sly)
reached(sly)
