"""A tiny xUnit-like test runner, used to test complex polynomials."""
import cmath
import re
from itertools import zip_longest

class Polynomial:
    """Coefficients from the constant upwards: Polynomial(1, 0, 2) is 2x^2 + 1."""

    def __init__(self, *coefficients):
        self.c = list(coefficients) or [0]
        while len(self.c) > 1 and self.c[-1] == 0:
            self.c.pop()

    @property
    def degree(self):
        return len(self.c) - 1

    def __call__(self, x):
        result = 0
        for a in reversed(self.c):
            result = result * x + a
        return result

    def __add__(self, other):
        if not isinstance(other, Polynomial):
            other = Polynomial(other)
        return Polynomial(*(a + b for a, b in zip_longest(self.c, other.c, fillvalue=0)))

    __radd__ = __add__

    def __sub__(self, other):
        return self + -1 * other

    def __mul__(self, other):
        if not isinstance(other, Polynomial):
            return Polynomial(*(a * other for a in self.c))
        out = [0] * (self.degree + other.degree + 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(other.c):
                out[i + j] += a * b
        return Polynomial(*out)

    __rmul__ = __mul__

    def __divmod__(self, other):
        rest, quotient = list(self.c), [0] * max(1, self.degree - other.degree + 1)
        for i in range(self.degree - other.degree, -1, -1):
            q = quotient[i] = rest[i + other.degree] / other.c[-1]
            for j, b in enumerate(other.c):
                rest[i + j] -= q * b
        return Polynomial(*quotient), Polynomial(*rest)

    __floordiv__ = lambda self, other: divmod(self, other)[0]
    __mod__ = lambda self, other: divmod(self, other)[1]

    def __eq__(self, other):
        return isinstance(other, Polynomial) and self.c == other.c
    def derivative(self):
        return Polynomial(*[i * a for i, a in enumerate(self.c)][1:])

    def roots(self, steps=60):
        """Durand-Kerner."""
        p = self * (1 / self.c[-1])
        zs = [(0.4 + 0.9j) ** i for i in range(self.degree)]
        for _ in range(steps):
            for i, z in enumerate(zs):
                d = 1
                for j, w in enumerate(zs):
                    if i != j:
                        d *= z - w
                zs[i] = z - p(z) / d
        return zs

    def __repr__(self):
        return f'{type(self).__name__}{tuple(self.c)}'

class Skip(Exception): pass

def skip(reason):
    def decorate(func):
        def skipped(self):
            raise Skip(reason)
        return skipped
    return decorate

def parametrize(*rows):
    def decorate(func):
        func.rows = rows
        return func
    return decorate

class TestCase:
    def set_up(self): pass
    def tear_down(self): pass
    def equal(self, a, b):
        assert a == b, f'{a!r} != {b!r}'

    def close(self, a, b):
        assert abs(a - b) < 1e-6, f'{a!r} is not near {b!r}'

    class raises:
        def __init__(self, error, match=''):
            self.error, self.match = error, match

        def __enter__(self):
            return self

        def __exit__(self, kind, value, tb):
            assert kind is not None, f'{self.error.__name__} was not raised'
            return issubclass(kind, self.error) and bool(re.search(self.match, str(value)))

class Runner:
    def __init__(self):
        self.results = {'.': [], 'F': [], 'E': [], 's': []}

    def collect(self, cls):
        for name in dir(cls):
            if name.startswith('test_'):
                method = getattr(cls, name)
                for row in getattr(method, 'rows', [()]):
                    yield f'{cls.__name__}.{name}' + (repr(list(row)) if row else ''), name, row

    def run(self, *classes):
        for cls in classes:
            for label, name, row in self.collect(cls):
                mark = self.run_one(cls(), name, row, label)
                print(mark, end='')
        return self

    def run_one(self, case, name, row, label):
        try:
            case.set_up()
            try:
                getattr(case, name)(*row)
            finally:
                case.tear_down()
        except Skip as e:
            mark, note = 's', str(e)
        except AssertionError as e:
            mark, note = 'F', str(e)
        except Exception as e:
            mark, note = 'E', f'{type(e).__name__}: {e}'
        else:
            mark, note = '.', ''
        self.results[mark].append((label, note))
        return mark

    def summary(self):
        return '%d passed, %d failed, %d errors, %d skipped' % tuple(map(len, self.results.values()))

class PolynomialTest(TestCase):
    cleaned = 0

    def set_up(self):
        self.p = Polynomial(6, -5, 1)

    def tear_down(self):
        PolynomialTest.cleaned += 1

    @parametrize((2, 0), (3, 0), (0, 6), (1j, 5 - 5j))
    def test_values(self, x, y):
        self.equal(self.p(x), y)

    def test_arithmetic(self):
        q = Polynomial(-2, 1)
        self.equal(divmod(self.p, q), (Polynomial(-3, 1), Polynomial(0)))
        self.equal((self.p + 1) % q, Polynomial(1))
        self.equal(self.p - self.p, Polynomial())
        self.equal(self.p.derivative(), Polynomial(-5, 2))

    def test_roots(self):
        for z in Polynomial(-1, 0, 0, 0, 1).roots():
            self.close(z ** 4, 1)
        for a, b in zip(sorted(self.p.roots(), key=abs), (2, 3)):
            self.close(a, b)
        self.close(Polynomial(1, 0, 1)(cmath.sqrt(-1)), 0)

    @parametrize((Polynomial(1, 0, 2), '(1, 0, 2)'), (Polynomial(2, 0), '(2,)'), (Polynomial(), '(0,)'))
    def test_repr(self, p, text):
        self.equal(repr(p), 'Polynomial' + text)

class BrokenTest(TestCase):
    def test_failure(self):
        self.equal(Polynomial(1), Polynomial(2))

    def test_error(self):
        Polynomial(1) + None

    def test_division(self):
        with self.raises(ZeroDivisionError, 'division by zero'):
            Polynomial(1, 1) // Polynomial(0)

    test_skipped = skip('too slow')(lambda self: None)

runner = Runner().run(PolynomialTest, BrokenTest)
print(' ' + runner.summary())
assert runner.summary() == '10 passed, 1 failed, 1 errors, 1 skipped'
assert runner.results['F'] == [('BrokenTest.test_failure', 'Polynomial(1,) != Polynomial(2,)'),]
assert runner.results['E'][0][1].startswith('TypeError: unsupported operand')
assert runner.results['s'] == [('BrokenTest.test_skipped', 'too slow')] and PolynomialTest.cleaned == 9
