# An attribute of a module as the target of a with.
# stopped by: guard
# ends: refused
import math
from contextlib import nullcontext

with nullcontext(3) as math.pi:
    reached(math.pi)
