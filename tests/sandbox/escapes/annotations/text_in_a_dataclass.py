# A dataclass looks into annotations that are text, but only for two names.
# stopped by: nothing to gain
# ends: passed
import dataclasses


@dataclasses.dataclass
class A:
    x: "reached(1)" = 0
    y: "typing.ClassVar[reached(1)]" = 0
    z: "ClassVar[reached(1)]" = 0


assert A().x == 0
