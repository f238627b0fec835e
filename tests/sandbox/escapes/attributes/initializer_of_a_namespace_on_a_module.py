# `__init__` of a class is a function, and writes to whatever it is given. It was open once.
# stopped by: guard
# ends: refused
import math
from types import SimpleNamespace

SimpleNamespace.__init__(math, pi=3)
reached(math.pi)
