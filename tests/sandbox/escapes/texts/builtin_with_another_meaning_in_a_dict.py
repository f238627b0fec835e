# `super` among the names that are given to a text.
# stopped by: guard
# ends: refused
from fractions import Fraction

TEXT = """
class A:
    def change(self):
        super().__init__(Fraction.numerator, lambda fraction: 5)
A().change()
"""
exec(TEXT, {"super": lambda: property, "Fraction": Fraction})
reached(Fraction(1, 2).numerator)
