# An empty slot is asked of `__getattr__`: so a slot can have a name that no method may.
# It was open once.
# stopped by: policy
# ends: refused
import copy


class Sly:
    __slots__ = ("__reduce_ex__",)

    def __getattr__(self, name):
        if name == "__reduce_ex__":
            return lambda protocol: (lambda: print, (), (None, {"__kwdefaults__": {}}))
        raise AttributeError(name)


reached(copy.copy(Sly()))
