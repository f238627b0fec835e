# The same initializer, its name made at run time.
# stopped by: guard
# ends: refused
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Write:
    pi: object


getattr(Write, "__in" + "it__")(math, 3)
reached(math.pi)
