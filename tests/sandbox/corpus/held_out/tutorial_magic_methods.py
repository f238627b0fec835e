from __future__ import division, print_function
import math
import operator


class Vector2(object):
    __slots__ = ('_x', '_y')
    __array_priority__ = 10

    def __init__(self, x=0, y=0):
        self._x, self._y = float(x), float(y)

    x = property(operator.attrgetter('_x'))
    y = property(lambda self: self._y)

    def __iter__(self):
        return iter((self._x, self._y))

    def __repr__(self):
        return '%s(%g, %g)' % ((type(self).__name__,) + tuple(self))

    def __format__(self, spec):
        if spec[-1:] == '@':
            return '%s at %s deg' % tuple(format(n, spec[:-1]) for n in (abs(self), math.degrees(self.angle())))
        return '[' + '; '.join(format(n, spec) for n in self) + ']'

    def angle(self):
        return math.atan2(self._y, self._x)

    def __eq__(self, other):
        try:
            return tuple(self) == tuple(other)
        except TypeError:
            return NotImplemented

    def __hash__(self):
        return hash(self._x) ^ hash(self._y)

    def __abs__(self):
        return math.hypot(*self)

    def __bool__(self):
        return bool(abs(self))

    def __neg__(self):
        return self * -1

    def __pos__(self):
        return self

    def __add__(self, other):
        return Vector2(*map(operator.add, self, other))

    def __radd__(self, other):
        if other == 0:
            return self
        return self + other

    def __sub__(self, other):
        return self + -other

    def __mul__(self, k):
        if isinstance(k, (int, float)):
            return Vector2(self._x * k, self._y * k)
        return NotImplemented

    __rmul__ = __mul__

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self, other))

    def __truediv__(self, k):
        return self * (1 / k)

    def __getitem__(self, i):
        return (self._x, self._y)['xy'.index(i) if isinstance(i, str) else i]

    def __complex__(self):
        return complex(self._x, self._y)

    def __round__(self, n=None):
        return type(self)(*(round(c, n or 0) for c in self))

    def __contains__(self, v):
        return v in tuple(self)

    def __call__(self, f):
        return Vector2(*map(f, self))

    def __getattr__(self, name):
        if set(name) <= set('xy'):
            return tuple(self[c] for c in name)
        raise AttributeError('%s has no %s' % (type(self).__name__, name))


v, w = Vector2(3, 4), Vector2(1, -1)
assert abs(v) == 5 and v @ w == -1 and not Vector2()
assert v + w == Vector2(4, 3) == (4, 3) and v - w == (2, 5)
assert 2 * v == v * 2 == v + v and v / 2 == (1.5, 2)
assert sum([v, w, v]) == (7, 7)
assert len({v, Vector2(3, 4), w}) == 2
assert v['y'] == v[1] == 4 and 3 in v
assert complex(v) == 3 + 4j
assert round(Vector2(1.26, 2.71), 1) == (1.3, 2.7)
assert v(lambda c: c ** 2) == (9, 16)
assert v.yx == (4, 3) and v.xxy == (3, 3, 4)
print(repr(v), str(w), format(v), '{:.2f}'.format(w), f'{Vector2(1, 1):.3f@}')
for bad in ("v * 'x'", "v.z", "v.x", "v < w", "v + 3"):
    try:
        if bad == "v * 'x'":
            v * 'x'
        elif bad == "v.z":
            v.z
        elif bad == "v.x":
            v.x = 3
        elif bad == "v < w":
            v < w
        else:
            v + 3
    except (TypeError, AttributeError) as e:
        print(bad, '->', type(e).__name__)
assert v != 5 and not v == "ab"
x, y = v
assert (x, y) == (3, 4)
