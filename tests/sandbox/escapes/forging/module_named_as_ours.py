# A module's name is told to asserts and traces; it may be that of ours.
# stopped by: nothing to gain
# ends: failed
def F():
    return 1


# --- its test
import math

assert F() == 2, math
