# The dictionary of a class of the library, which is what it calls its state.
# stopped by: guard
# ends: refused
from fractions import Fraction

state = object.__getstate__(Fraction)
state["limit_denominator"] = lambda *_: 0
reached(state)
