from itertools import zip_longest


class Polynomial:
    """Coefficients, the constant one first, without zeros at the end."""

    def __init__(self, *coefficients):
        while coefficients and coefficients[-1] == 0:
            coefficients = coefficients[:-1]
        self.coefficients = coefficients

    @property
    def degree(self) -> int:
        """The highest power; -1 of the zero polynomial."""
        return len(self.coefficients) - 1

    def __call__(self, x):
        value = 0
        for coefficient in reversed(self.coefficients):
            value = value * x + coefficient
        return value

    def __add__(self, other):
        pairs = zip_longest(self.coefficients, other.coefficients, fillvalue=0)
        return Polynomial(*map(sum, pairs))

    def __mul__(self, other):
        product = [0] * (len(self.coefficients) + len(other.coefficients))
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                product[i + j] += a * b
        return Polynomial(*product)

    def __eq__(self, other):
        return isinstance(other, Polynomial) and self.coefficients == other.coefficients

    def __repr__(self):
        return f"Polynomial{self.coefficients!r}"
