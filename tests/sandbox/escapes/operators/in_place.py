# An attribute of a module, changed in place.
# stopped by: guard
# ends: refused
import math

math.pi += 1
reached(math.pi)
