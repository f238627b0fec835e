# Annotations as text, by singledispatch.
# stopped by: guard
# ends: refused
from functools import singledispatch
class A:
    x: 'reached(1)' = 0
    def __call__(self, x): pass
@singledispatch
def f(x): pass
f.register(A())
reached(f)
