# What `vars` gives of an object can be written to under any name: `copy` asks for some of them.
# stopped by: guard
# ends: refused
import copy
import math


class A:
    pass


a = A()
vars(a)["__reduce_ex__"] = lambda protocol: (lambda: math, (), {"pi": 3})
try:
    copy.deepcopy(a)
finally:
    reached(math.pi) if math.pi == 3 else None
