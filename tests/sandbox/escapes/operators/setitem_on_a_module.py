# Changing a module's items.
# stopped by: guard
# ends: refused
import operator, math
operator.setitem(math, 'pi', 3)
reached(math)
