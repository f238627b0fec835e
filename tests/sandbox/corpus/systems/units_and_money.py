"""Physical quantities with dimensions, and money in several currencies."""
import functools
import math
import operator
from collections import Counter
from decimal import Decimal
from types import MappingProxyType

class DimensionError(TypeError):
    pass

@functools.total_ordering
class Quantity:
    __slots__ = 'value', 'dims'
    SUFFIXES = {'k': 1e3, 'c': 1e-2, 'm': 1e-3, 'M': 1e6}

    def __init__(self, value, dims=()):
        super().__setattr__('value', value)
        super().__setattr__('dims', MappingProxyType({k: v for k, v in sorted(dict(dims).items()) if v}))

    def __setattr__(self, name, value):
        raise AttributeError('quantities do not change')

    def _same(self, other):
        if not isinstance(other, Quantity):
            other = Quantity(other)
        if self.dims != other.dims:
            raise DimensionError(f'{self.unit or "number"} and {other.unit or "number"} do not mix')
        return other.value

    def __add__(self, other):
        return Quantity(self.value + self._same(other), self.dims)

    __radd__ = __add__

    def __sub__(self, other):
        return self + -other

    def __neg__(self):
        return Quantity(-self.value, self.dims)

    def _combine(self, other, op, sign):
        if not isinstance(other, Quantity):
            other = Quantity(other)
        dims = Counter(self.dims)
        for k, v in other.dims.items():
            dims[k] += sign * v
        return Quantity(op(self.value, other.value), dims)

    def __mul__(self, other):
        return self._combine(other, operator.mul, 1)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self._combine(other, operator.truediv, -1)

    def __rtruediv__(self, other):
        return Quantity(other) / self

    def __pow__(self, n):
        return Quantity(self.value ** n, {k: v * n for k, v in self.dims.items()})

    def __eq__(self, other):
        try:
            return math.isclose(self.value, self._same(other))
        except DimensionError:
            return False

    def __lt__(self, other):
        return self.value < self._same(other)

    def __hash__(self):
        return hash(tuple(self.dims.items()))

    def __float__(self):
        return float(Quantity(1)._same(self)) if not self.dims else float(self._same(0))

    @property
    def unit(self):
        return '·'.join(k if v == 1 else f'{k}^{v:g}' for k, v in self.dims.items())

    def to(self, unit):
        return unit._same(self) / unit.value

    def __format__(self, spec):
        return f'{self.value:{spec or "g"}} {self.unit}'.strip()

    __str__ = lambda self: format(self)
    __repr__ = lambda self: f'Quantity({self})'

def unit(name):
    return Quantity(1, {name: 1})

m, kg, s = map(unit, ('m', 'kg', 's'))
km, cm, hour, minute = 1000 * m, m / 100, 3600 * s, 60 * s
N = kg * m / s ** 2
J = N * m

def require(**wanted):
    """Decorator that checks the dimensions of keyword arguments."""
    def decorate(func):
        @functools.wraps(func)
        def wrapper(**kwargs):
            for name, example in wanted.items():
                example._same(kwargs[name])
            return func(**kwargs)
        return wrapper
    return decorate

@require(mass=kg, speed=m / s)
def kinetic_energy(*, mass, speed):
    return mass * speed ** 2 / 2

class Rates(dict):
    def __missing__(self, pair):
        a, b = pair
        if a == b:
            return Decimal(1)
        if (b, a) in self:
            return 1 / self[b, a]
        for x, y in list(self):
            if x == a:
                return self[a, y] * self[y, b]
        raise LookupError(f'no rate from {a} to {b}')

class Money:
    rates = Rates({('USD', 'EUR'): Decimal('0.9'), ('EUR', 'JPY'): Decimal('160')})
    places = {'JPY': 0}

    def __init__(self, amount, currency):
        quantum = Decimal(1).scaleb(-self.places.get(currency, 2))
        self._amount, self._currency = Decimal(amount).quantize(quantum), currency

    amount = property(operator.attrgetter('_amount'))
    currency = property(operator.attrgetter('_currency'))

    def to(self, currency):
        return Money(self.amount * self.rates[self.currency, currency], currency)

    def __add__(self, other):
        if other == 0:
            return self
        if not isinstance(other, Money):
            return NotImplemented
        return Money(self.amount + other.to(self.currency).amount, self.currency)

    __radd__ = __add__

    def __mul__(self, k):
        return Money(self.amount * k, self.currency)

    def __eq__(self, other):
        return isinstance(other, Money) and (self.amount, self.currency) == (other.amount, other.currency)

    def __repr__(self):
        return '{1} {0:,}'.format(self.amount, self.currency)

    def split(self, *weights):
        total, left, parts = sum(weights), self, []
        for w in weights[:-1]:
            parts.append(self * (Decimal(w) / total))
            left += parts[-1] * -1
        return [*parts, left]

def test_quantities():
    speed = 90 * km / hour
    assert speed == 25 * m / s and f'{speed:.1f}' == '25.0 m·s^-1'
    assert speed.to(km / hour) == 90 and repr(2 * J) == 'Quantity(2 kg·m^2·s^-2)'
    assert kinetic_energy(mass=2 * kg, speed=3 * m / s) == 9 * J
    assert 1 * km > 99000 * cm and sorted([km, cm, m])[0] is cm and -(-3 * s) == 3 * s
    assert 1 / (4 * s) == Quantity(.25, {'s': -1}) and (16 * m ** 2) ** .5 == 4 * m and m != s
    assert sum([1 * m, 2 * m], 0 * m) == 3 * m and float(km / m) == 1000
    for bad in (lambda: m + s, lambda: m < 3, lambda: 1 + kg, lambda: kinetic_energy(mass=m, speed=s), lambda: float(m)):
        try:
            bad()
        except DimensionError as e:
            print(e)
        else:
            raise AssertionError
    try:
        m.value = 2
    except AttributeError as e:
        assert str(e) == 'quantities do not change'

def test_money():
    total = sum([Money(10, 'EUR'), Money(10, 'USD'), Money(160, 'JPY')])
    assert total == Money(20, 'EUR') and repr(total * 1000) == 'EUR 20,000.00'
    assert Money(1, 'USD').to('JPY') == Money(144, 'JPY') and Money(9, 'EUR').to('USD').amount == 10
    assert Money(100, 'EUR').split(1, 1, 1) == [Money('33.33', 'EUR')] * 2 + [Money('33.34', 'EUR')]
    try:
        Money(1, 'EUR').to('GBP')
    except (LookupError, RecursionError) as e:
        assert 'no rate' in str(e)

test_quantities()
test_money()
