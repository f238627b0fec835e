# A dictionary of one's own lists harmless names, and holds others.
# stopped by: guard
# ends: refused
import copy


class State(dict):
    def __iter__(self):
        return iter(())

    def keys(self):
        return ()


class E(Exception):
    pass


error = E()
error.__dict__["__reduce_ex__"] = lambda protocol: (E, (), State(__class__=OSError))
reached(copy.copy(error))
