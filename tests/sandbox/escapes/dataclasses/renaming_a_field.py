# A field's name, changed afterwards.
# stopped by: guard
# ends: refused
import dataclasses


@dataclasses.dataclass
class A:
    x: int = 0


dataclasses.fields(A)[0].name = "gi_frame"
reached(A)
