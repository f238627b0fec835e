# The registry of one's own dispatching function, by the same leak: it is one's own.
# stopped by: nothing to gain
# ends: passed
import functools


@functools.singledispatch
def f(thing):
    return "thing"


class Catch:
    def __ror__(self, registry):
        registry[int] = lambda thing: "caught"
        return registry


f.registry | Catch()
assert f(1) in ("thing", "caught")
