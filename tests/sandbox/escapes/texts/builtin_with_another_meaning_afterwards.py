# `super` means another function once the text has been compiled.
# stopped by: guard
# ends: refused
from fractions import Fraction

exec("class A:\n    def change(self): super().__init__(Fraction.numerator, lambda fraction: 5)")


def super():
    return property


A().change()
reached(Fraction(1, 2).numerator)
