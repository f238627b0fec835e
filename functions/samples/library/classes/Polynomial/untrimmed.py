class Polynomial(tuple):
    """A tuple of coefficients."""

    def __new__(cls, *coefficients):
        return super().__new__(cls, coefficients)

    @property
    def degree(self):
        return len(self) - 1

    def __call__(self, x):
        return sum(each * x**power for power, each in enumerate(self))

    def __add__(self, other):
        size = max(len(self), len(other))
        padded = [tuple(each) + (0,) * (size - len(each)) for each in (self, other)]
        return Polynomial(*map(sum, zip(*padded)))

    def __mul__(self, other):
        product = [0] * max(len(self) + len(other) - 1, 0)
        for i, a in enumerate(self):
            for j, b in enumerate(other):
                product[i + j] += a * b
        return Polynomial(*product)
