# A module made anew.
# stopped by: guard
# ends: refused
import math
math.__init__('math', {'pi': 3})
reached(math.pi)
