# The object of an AttributeError, by a pattern.
# stopped by: policy
# ends: refused
import math

try:
    math.nope
except AttributeError as error:
    match error:
        case AttributeError(obj=thing):
            reached(thing)
