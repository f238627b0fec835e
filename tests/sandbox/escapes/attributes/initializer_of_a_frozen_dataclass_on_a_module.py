# One that is frozen sets them past the `__setattr__` of what it is given. It was open once.
# stopped by: guard
# ends: refused
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Write:
    pi: object


Write.__init__(math, 3)
reached(math.pi)
