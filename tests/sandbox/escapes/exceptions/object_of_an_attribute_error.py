# The object of an AttributeError.
# stopped by: guard
# ends: refused
import math
try:
    math.nope
except AttributeError as e:
    reached(e.obj)
