# The object of an AttributeError, by name.
# stopped by: guard
# ends: refused
import math

try:
    math.nope
except AttributeError as error:
    reached(getattr(error, "o" + "bj"))
