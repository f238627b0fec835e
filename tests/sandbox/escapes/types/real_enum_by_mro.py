# The enum behind ours, whose functional interface takes any name: `mro()` leads to it.
# stopped by: guard
# ends: refused
import copy
import enum

for base in enum.Enum.mro():
    if base is not enum.Enum and base is not object:
        reduce = lambda self, protocol: (lambda: print, (), (None, {"__kwdefaults__": {}}))
        made = base("Made", [("__reduce_ex__", reduce), ("a", 1)])
        reached(copy.copy(made.a))
raise LookupError("only its own classes")
