# An attribute of a module with an annotation.
# stopped by: guard
# ends: refused
import math

math.pi: int = 3
reached(math.pi)
