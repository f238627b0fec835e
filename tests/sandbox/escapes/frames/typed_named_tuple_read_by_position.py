# Patterns through typing's named tuple.
# stopped by: guard
# ends: refused
from typing import NamedTuple
reached(NamedTuple('A', [('gi_frame', int)]))
