# A state that isn't a dictionary gives other names to who sets them than to who looks at them.
# It was open once.
# stopped by: guard
# ends: refused
import copy


class State:
    def items(self):
        return [("__class__", Other)]


class Other:
    pass


class Sly:
    pass


sly = Sly()
sly.__dict__["__reduce_ex__"] = lambda protocol: (Sly, (), ({}, State()))
reached(copy.copy(sly))
