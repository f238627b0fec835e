# What a class holds is shown by a mapping proxy, which hands the real dictionary to whatever it
# is compared with: there a name can be set that nobody checked. It was open once.
# stopped by: guard
# ends: refused
from abc import ABC

generator = (n for n in ())


class Any(ABC):
    pass


class Catch:
    def __eq__(self, mapping):
        mapping["__match_args__"] = ("gi_frame",)
        return True


Any.register(type(generator))
Any.__dict__ == Catch()
match generator:
    case Any(frame):
        reached(frame)
