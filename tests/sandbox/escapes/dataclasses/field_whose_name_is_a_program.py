# A field of a dataclass whose name is a program.
# stopped by: guard
# ends: refused
import dataclasses
class S(type(dataclasses.field())):
    name = property(lambda self: 'x=print(1)', lambda self, v: None)
reached(S)
