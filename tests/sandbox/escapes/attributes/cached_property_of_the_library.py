# The same without a subclass.
# stopped by: guard
# ends: refused
import functools


class Sly:
    how = functools.cached_property(lambda self: None)


Sly.how.attrname = "__reduce_ex__"
reached(Sly)
