# Copying a module.
# stopped by: guard
# ends: refused
import copy, math
reached(copy.copy(math))
