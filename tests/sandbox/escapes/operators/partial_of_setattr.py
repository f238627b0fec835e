# A guard with arguments filled in stays a guard.
# stopped by: guard
# ends: refused
import functools
import math

functools.partial(setattr, math, "pi")(3)
reached(math.pi)
