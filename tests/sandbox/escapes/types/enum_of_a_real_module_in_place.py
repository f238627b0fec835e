# The same, the method fetched by an operator in place, whose target is loaded natively.
# stopped by: guard
# ends: refused
import enum


class E(enum.Enum):
    pass


class Catch:
    def __radd__(self, method):
        reached(method("Made", "os", lambda name: name == "sys").sys.value)


E._convert_ += Catch()
