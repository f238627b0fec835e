# An attribute of a module as the target within a comprehension.
# stopped by: guard
# ends: refused
import math

[0 for math.pi in (3,)]
reached(math.pi)
