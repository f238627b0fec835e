# An attribute of a module as the target of a loop.
# stopped by: guard
# ends: refused
import math

for math.pi in (3,):
    reached(math.pi)
