# Numeric towers ask their own methods, whatever they answer.
# stopped by: nothing to gain
# ends: passed
import fractions
import numbers


class N(numbers.Rational):
    numerator = 1
    denominator = 2

    def f(self, *_):
        return 0

    __abs__ = __add__ = __ceil__ = __eq__ = __floor__ = __floordiv__ = __le__ = __lt__ = f
    __mod__ = __mul__ = __neg__ = __pow__ = __radd__ = __rfloordiv__ = __rmod__ = f
    __rmul__ = __round__ = __rpow__ = __rtruediv__ = __truediv__ = __trunc__ = f
    N = 1


try:
    fractions.Fraction(N())
except TypeError:
    pass
