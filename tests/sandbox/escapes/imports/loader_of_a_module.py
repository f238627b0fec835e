# What a module says of its own loading.
# stopped by: guard
# ends: refused
import math

reached(getattr(math, "__spec__"))
