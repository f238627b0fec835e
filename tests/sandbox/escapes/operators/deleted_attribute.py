# An attribute of a module, deleted.
# stopped by: guard
# ends: refused
import math

del math.pi
reached(math)
