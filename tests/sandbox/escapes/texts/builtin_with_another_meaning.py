# `super` of a module whose code was rewritten for Python's.
# stopped by: guard
# ends: refused
from fractions import Fraction


class A:
    def change(self):
        super().__init__(Fraction.numerator, lambda fraction: 5)


exec("def super(): return property")
A().change()
reached(Fraction(1, 2).numerator)
