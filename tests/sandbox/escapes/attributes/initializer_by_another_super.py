# `super()` that is another function: its initializer isn't that of the object at hand.
# stopped by: guard
# ends: refused
from fractions import Fraction


def super():
    return property


class A:
    def change(self):
        super().__init__(Fraction.numerator, lambda fraction: 5)


A().change()
reached(Fraction(1, 2).numerator)
