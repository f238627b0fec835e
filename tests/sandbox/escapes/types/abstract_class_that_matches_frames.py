# An abstract class counts generators among its instances; the names in its patterns come late.
# stopped by: guard
# ends: refused
from abc import ABC

generator = (n for n in ())


class Any(ABC):
    pass


Any.register(type(generator))
setattr(Any, "__match_args__", ("gi_frame",))
match generator:
    case Any(frame):
        reached(frame)
