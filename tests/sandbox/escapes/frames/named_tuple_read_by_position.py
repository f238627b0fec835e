# Patterns through a named tuple.
# stopped by: guard
# ends: refused
from collections import namedtuple
A = namedtuple('A', ['gi_frame'])
reached(A)
