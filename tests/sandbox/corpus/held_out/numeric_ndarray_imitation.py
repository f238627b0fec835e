import itertools
import math
import operator
from array import array


class NDArray:
    """A very small imitation of numpy's array: shape, strides, views, broadcasting."""

    def __init__(self, data, shape=None):
        if shape is None:
            shape, flat = self._explore(data)
        else:
            flat = list(data)
        if math.prod(shape) != len(flat):
            raise ValueError("cannot reshape array of size %d into shape %r" % (len(flat), tuple(shape)))
        self.shape = tuple(shape)
        self._data = array("d", flat)

    @classmethod
    def _explore(cls, data):
        if not isinstance(data, (list, tuple)):
            return (), [data]
        parts = [cls._explore(d) for d in data]
        shapes = {s for s, _ in parts}
        if len(shapes) > 1:
            raise ValueError("ragged")
        return (len(data),) + (shapes.pop() if shapes else ()), [x for _, f in parts for x in f]

    @property
    def ndim(self): return len(self.shape)

    @property
    def strides(self):
        return tuple(math.prod(self.shape[i + 1:]) for i in range(self.ndim))

    @property
    def T(self):
        return NDArray([self[idx[::-1]] for idx in itertools.product(*map(range, self.shape[::-1]))], self.shape[::-1])

    def __len__(self): return self.shape[0]

    def __getitem__(self, key):
        if not isinstance(key, tuple):
            key = (key,)
        if Ellipsis in key:
            i = key.index(Ellipsis)
            key = key[:i] + (slice(None),) * (self.ndim - len(key) + 1) + key[i + 1:]
        key += (slice(None),) * (self.ndim - len(key))
        ranges = []
        for k, n in zip(key, self.shape):
            if isinstance(k, slice):
                ranges.append(range(*k.indices(n)))
            else:
                if not -n <= k < n:
                    raise IndexError("index %d is out of bounds for size %d" % (k, n))
                ranges.append([k % n])
        flat = [self._data[sum(map(operator.mul, idx, self.strides))] for idx in itertools.product(*ranges)]
        shape = [len(r) for r, k in zip(ranges, key) if isinstance(k, slice)]
        return NDArray(flat, shape) if shape else flat[0]

    def __setitem__(self, key, value):
        self._data[sum(map(operator.mul, key, self.strides))] = value

    def reshape(self, *shape):
        if -1 in shape:
            known = -math.prod(shape)
            shape = [len(self._data) // known if s == -1 else s for s in shape]
        return NDArray(self._data, shape)

    def _broadcast(self, other, op):
        other = other if isinstance(other, NDArray) else NDArray(other)
        a, b = self, other
        shape = []
        for m, n in itertools.zip_longest(a.shape[::-1], b.shape[::-1], fillvalue=1):
            if m != n and 1 not in (m, n):
                raise ValueError(f"operands could not be broadcast: {a.shape} {b.shape}")
            shape.insert(0, max(m, n))

        def at(x, idx):
            idx = idx[len(idx) - x.ndim:]
            return x._data[sum(s * (0 if n == 1 else i) for s, n, i in zip(x.strides, x.shape, idx))]
        return NDArray([op(at(a, i), at(b, i)) for i in itertools.product(*map(range, shape))], shape)

    def __add__(self, o): return self._broadcast(o, operator.add)
    def __mul__(self, o): return self._broadcast(o, operator.mul)
    def __eq__(self, o): return self._broadcast(o, operator.eq)
    __radd__, __rmul__ = __add__, __mul__

    def __matmul__(self, o):
        n, m = self.shape[0], o.shape[1]
        return NDArray([sum(self[i, k] * o[k, j] for k in range(len(o))) for i in range(n) for j in range(m)], (n, m))

    def sum(self): return sum(self._data)

    def all(self): return all(self._data)

    def tolist(self):
        return [x.tolist() if isinstance(x, NDArray) else x for x in (self[i] for i in range(len(self)))]

    def __repr__(self): return "NDArray(%s)" % self.tolist()


a = NDArray(range(6), (2, 3))
print(a, a.T, a[:, 1], a[..., -1], sep="\n")
assert a.strides == (3, 1) and a[1, 2] == 5 and a[-1].tolist() == [3, 4, 5]
assert (a + 10).tolist() == [[10, 11, 12], [13, 14, 15]]
assert (2 * a + NDArray([[100], [200]])).tolist() == [[100, 102, 104], [206, 208, 210]]
assert (a @ a.T).tolist() == [[5, 14], [14, 50]]
assert a.reshape(3, -1).shape == (3, 2) and (a.T.T == a).all()
assert a[:, ::2].tolist() == [[0, 2], [3, 5]]
a[0, 0] = 7.5
assert a.sum() == 22.5
for f in (lambda: a[5, 0], lambda: a + [1, 2], lambda: NDArray([[1], [2, 3]]), lambda: a.reshape(4, 2)):
    try:
        f()
    except (ValueError, IndexError) as e:
        print(e)
