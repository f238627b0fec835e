# `replace` calls the class of the object, which is the user's own.
# stopped by: nothing to gain
# ends: passed
import dataclasses


@dataclasses.dataclass
class A:
    x: int = 0


assert dataclasses.replace(A(), x=2).x == 2
