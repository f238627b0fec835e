import math
from functools import cached_property, partial, partialmethod, lru_cache, cache, wraps, update_wrapper
import statistics


class DataSet:
    def __init__(self, sequence_of_numbers):
        self._data = tuple(sequence_of_numbers)
        self.computed = 0

    @cached_property
    def stdev(self):
        self.computed += 1
        return statistics.pstdev(self._data)

    @cached_property
    def sorted(self):
        """Data in order."""
        self.computed += 1
        return sorted(self._data)


class Cell:
    def __init__(self):
        self._alive = False

    @property
    def alive(self):
        return self._alive

    def set_state(self, state):
        self._alive = bool(state)

    set_alive = partialmethod(set_state, True)
    set_dead = partialmethod(set_state, False)


class Logger:
    def __init__(self):
        self.lines = []

    def log(self, level, message, *args, sep=' ', **extra):
        text = sep.join([message % args if args else message, *(f'{k}={v}' for k, v in extra.items())])
        self.lines.append((level, text))

    debug = partialmethod(log, 'DEBUG')
    info = partialmethod(log, 'INFO')
    shout = partialmethod(log, 'ERROR', sep='!! ')


@lru_cache(maxsize=None)
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


@cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


@lru_cache(maxsize=2, typed=True)
def kind(x):
    return type(x).__name__


class counted:
    """Decorator class that counts calls and works on methods as well."""

    def __init__(self, func):
        update_wrapper(self, func)
        self.func = func
        self.calls = 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.func(*args, **kwargs)

    def __get__(self, obj, objtype=None):
        return self if obj is None else partial(self, obj)


def clamp(lo, hi):
    def deco(f):
        @wraps(f)
        def inner(*a, **kw):
            return max(lo, min(hi, f(*a, **kw)))
        return inner
    return deco


@clamp(-1, 1)
def wild(x: float) -> float:
    "Something large"
    return x * 10


class Greeter:
    @counted
    def hello(self, name):
        "Say hello"
        return 'hello ' + name


ds = DataSet([2, 4, 4, 4, 5, 5, 7, 9])
assert ds.stdev == 2.0 and ds.stdev == 2.0
assert ds.computed == 1
assert ds.sorted[0] == 2
assert 'stdev' in vars(ds)
del ds.stdev
assert ds.stdev == 2.0 and ds.computed == 3
assert DataSet.sorted.__doc__ == 'Data in order.'

c = Cell()
c.set_alive()
assert c.alive
c.set_dead()
assert not c.alive

log = Logger()
log.debug('x is %d', 3)
log.info('plain', user='bob')
log.shout('fire', where='here')
assert log.lines == [('DEBUG', 'x is 3'), ('INFO', 'plain user=bob'), ('ERROR', 'fire!! where=here')]

assert fib(80) == 23416728348467685
assert fib.cache_info().misses == 81
fib.cache_clear()
assert fib.cache_info().currsize == 0
assert binomial(20, 10) == math.comb(20, 10)
assert [kind(1), kind(1.0), kind(1)] == ['int', 'float', 'int']
assert kind.cache_info()[:2] == (1, 2)
assert kind.cache_parameters() == {'maxsize': 2, 'typed': True}

basetwo = partial(int, base=2)
basetwo.__doc__ = 'Convert base 2 string to an int.'
assert basetwo('10010') == 18
assert basetwo.func is int and basetwo.keywords == {'base': 2} and basetwo.args == ()
hyp = partial(math.hypot, 3)
assert hyp(4) == 5

assert wild(0.05) == 0.5 and wild(7) == 1 and wild(-7) == -1
assert wild.__wrapped__(7) == 70
assert wild.__annotations__ == {'x': float, 'return': float} and wild.__doc__ == 'Something large'
g = Greeter()
assert g.hello('a') == 'hello a' and g.hello('b') == 'hello b'
assert Greeter.hello.calls == 2 and Greeter.hello.__name__ == 'hello'
print('ok', fib(30))
