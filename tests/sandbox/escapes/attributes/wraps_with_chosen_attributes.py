# Wraps with chosen attributes.
# stopped by: guard
# ends: refused
from functools import wraps
def f(): pass
def g(): reached(1)
class W:
    __slots__ = ()
wraps(g, assigned=['__code__'])(f)()
reached(1) if f.__name__ != 'g' else None
