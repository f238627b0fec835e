# Vars of another's.
# stopped by: guard
# ends: refused
import random
reached(vars(random)["_inst"])
