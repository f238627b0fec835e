# Fields of one object only, whose names the library reads natively.
# stopped by: guard
# ends: refused
import dataclasses


class Named:
    init = True
    _field_type = None
    name = "__reduce_ex__"


@dataclasses.dataclass
class A:
    x: int = 0

    def __init__(self, **values):
        for name, value in values.items():
            reached(name)


a = A()
vars(a)["__dataclass_fields__"] = {"x": Named()}
assert dataclasses.asdict(a) == {"x": 0}
dataclasses.replace(a)
