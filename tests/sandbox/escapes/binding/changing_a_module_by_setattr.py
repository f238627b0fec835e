# Changing a module by setattr.
# stopped by: guard
# ends: refused
import math
setattr(math, 'pi', 3)
reached(math)
