# A class with names that nobody has checked, by what EnumType keeps private.
# It was open once: an enum of the user's own inherits `_create_`.
# stopped by: guard
# ends: refused
import copy
import enum


class E(enum.Enum):
    pass


def reduce(self, protocol):
    return lambda: print, (), (None, {"__kwdefaults__": {}})


made = E._create_("Made", [("__reduce_ex__", reduce), ("a", 1)])
reached(copy.copy(made.a))
