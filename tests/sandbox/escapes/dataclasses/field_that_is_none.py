# A field of one's own making among those of a base, whose name becomes a part of the text.
# stopped by: guard
# ends: passed
import dataclasses


@dataclasses.dataclass
class A:
    x: int = 0


class Field:
    name = "y=log('reached'), z"
    init = kw_only = True
    repr = compare = False
    default = 0
    default_factory = dataclasses.MISSING
    _field_type = None


A.__dataclass_fields__["x"] = Field()


@dataclasses.dataclass
class B(A):
    z: int = 0


assert [field.name for field in dataclasses.fields(B)] == ["x", "z"]
