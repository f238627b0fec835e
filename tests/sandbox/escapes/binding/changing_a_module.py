# Changing a module.
# stopped by: guard
# ends: refused
import math
math.pi = 3
reached(math)
