# Fields called as the generated text calls its own helpers.
# stopped by: nothing to gain
# ends: passed
import dataclasses


@dataclasses.dataclass
class A:
    MISSING: int = 1
    _HAS_DEFAULT_FACTORY: int = 2
    _type_x: int = 3
    _dflt_x: int = 4
    self: int = 5
    x: list = dataclasses.field(default_factory=list)


assert dataclasses.astuple(A())[:5] == (1, 2, 3, 4, 5)
