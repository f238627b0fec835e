# What an object holds, to be written under any name, and what is copied from there to another's.
# stopped by: guard
# ends: refused
import copy


class A:
    pass


a = A()
a.__dict__["__reduce_ex__"] = lambda protocol: (A, (), {"__class__": 1, "__reduce__": reached})
reached(copy.deepcopy(a))
