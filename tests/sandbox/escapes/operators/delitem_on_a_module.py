# Operators as functions ask the same guard.
# stopped by: guard
# ends: refused
import math
import operator

operator.delitem(math, "pi")
reached(math)
