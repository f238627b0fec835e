# The guards' own exceptions can be caught, and raised again with other words.
# stopped by: nothing to gain
# ends: policy
import math

try:
    math.pi = 3
except TypeError as error:
    raise type(error)("all is well")
