# An attribute of a module as a starred target.
# stopped by: guard
# ends: refused
import math

[*math.pi] = [3]
reached(math.pi)
