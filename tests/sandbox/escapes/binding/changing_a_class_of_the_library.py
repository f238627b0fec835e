# Changing a class of the library.
# stopped by: guard
# ends: refused
import fractions
fractions.Fraction.x = 1
reached(1)
