# A private name of a module.
# stopped by: policy
# ends: refused
from math import __loader__

reached(__loader__)
