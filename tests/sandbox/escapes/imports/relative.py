# What is beside this module.
# stopped by: policy
# ends: refused
from . import child

reached(child)
