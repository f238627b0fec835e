# A module's stand-in has a class, which makes others; they are nobody's modules.
# stopped by: nothing to gain
# ends: passed
import math

Kind = type(math)
try:
    math.pi = 3
    reached(math)
except TypeError:
    pass
import math as again

assert again.pi > 3.1 and Kind is type(again)
