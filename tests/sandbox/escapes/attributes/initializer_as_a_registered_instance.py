# An abstract dataclass counts the module among its instances; its initializer still doesn't.
# stopped by: guard
# ends: refused
import math
from abc import ABC
from dataclasses import dataclass


@dataclass(frozen=True)
class Write(ABC):
    pi: object


Write.register(type(math))
Write.__init__(math, 3)
reached(math.pi)
