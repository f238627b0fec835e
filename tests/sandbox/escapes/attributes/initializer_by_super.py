# The same initializer, found by a super that is bound to a class.
# stopped by: guard
# ends: refused
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Write:
    pi: object


class Sub(Write):
    pass


super(Sub, Sub).__init__(math, 3)
reached(math.pi)
