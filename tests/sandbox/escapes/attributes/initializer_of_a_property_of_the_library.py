# A property of the library, initialised once more.
# stopped by: guard
# ends: refused
from fractions import Fraction

property.__init__(Fraction.numerator, lambda fraction: 5)
reached(Fraction(1, 2).numerator)
