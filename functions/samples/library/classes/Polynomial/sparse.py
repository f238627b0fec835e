from collections import Counter


class Polynomial:
    """Coefficients by power, as few as there are."""

    def __init__(self, *coefficients):
        self._terms = {power: each for power, each in enumerate(coefficients) if each}

    @classmethod
    def of_terms(cls, terms):
        """Make one of coefficients by power."""
        made = cls()
        made._terms = {power: each for power, each in terms.items() if each}
        return made

    @property
    def degree(self) -> int:
        """The highest power; -1 of the zero polynomial."""
        return max(self._terms, default=-1)

    def __call__(self, x):
        return sum(each * x**power for power, each in self._terms.items())

    def __add__(self, other):
        terms = Counter(self._terms)
        terms.update(other._terms)
        return Polynomial.of_terms(terms)

    def __mul__(self, other):
        terms = Counter()
        for power, each in self._terms.items():
            for other_power, other_each in other._terms.items():
                terms[power + other_power] += each * other_each
        return Polynomial.of_terms(terms)

    def __eq__(self, other):
        return isinstance(other, Polynomial) and self._terms == other._terms

    def __repr__(self):
        return f"Polynomial({self._terms!r})"
