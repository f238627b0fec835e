# A class method of the library, initialised once more.
# stopped by: guard
# ends: refused
from fractions import Fraction

vars(Fraction)["from_float"].__init__(lambda cls, number: 5)
reached(Fraction.from_float(1.5))
