# A dataclass of another's class.
# stopped by: guard
# ends: refused
import dataclasses, fractions
reached(dataclasses.dataclass(fractions.Fraction))
