"""Everything about decorators, the way tutorials show them."""
import functools
import time
import random


def timed(func):
    """Report how long the decorated function took."""
    @functools.wraps(func)
    def inner(*args, **kwargs):
        began = time.perf_counter()
        try:
            return func(*args, **kwargs)
        finally:
            took = time.perf_counter() - began
            assert took >= 0
            print(f"{func.__name__} took {'no' if took < 5 else 'much'} time")
    return inner


def trace(func):
    depth = 0

    @functools.wraps(func)
    def inner(*args, **kwargs):
        nonlocal depth
        call = ", ".join([*map(repr, args), *(f"{k}={v!r}" for k, v in kwargs.items())])
        print("  " * depth + f"-> {func.__qualname__}({call})")
        depth += 1
        result = func(*args, **kwargs)
        depth -= 1
        print("  " * depth + f"<- {result!r}")
        return result
    return inner


COMMANDS = {}


def command(name=None):
    def deco(f):
        COMMANDS[name or f.__name__] = f
        return f
    return deco


def retry(_f=None, *, times=3, errors=(ValueError,)):
    def deco(f):
        @functools.wraps(f)
        def inner(*a, **kw):
            for left in reversed(range(times)):
                try:
                    return f(*a, **kw)
                except errors as e:
                    inner.failures.append(str(e))
                    if not left:
                        raise
        inner.failures = []
        return inner
    return deco if _f is None else deco(_f)


class Counted:
    def __init__(self, func):
        functools.update_wrapper(self, func)
        self.func = func
        self.n = 0

    def __call__(self, *args, **kwargs):
        self.n += 1
        return self.func(*args, **kwargs)

    def __get__(self, obj, objtype=None):
        return self if obj is None else functools.partial(self, obj)


def singleton(cls):
    instances = {}

    def get(*args, **kwargs):
        if cls not in instances:
            instances[cls] = cls(*args, **kwargs)
        return instances[cls]
    return get


@singleton
class Config:
    def __init__(self, **options):
        self.__dict__.update(options)


class Greeter:
    @Counted
    def greet(self, who):
        """Greets."""
        return "Hello " + who


@trace
def fact(n, *, acc=1):
    return acc if n < 2 else fact(n - 1, acc=acc * n)


@command()
@timed
def squares(n):
    return sum(i ** 2 for i in range(n))


@command("roll")
@retry(times=10)
def roll_six():
    n = random.randint(1, 6)
    if n != 6:
        raise ValueError("rolled %d" % n)
    return n


@retry
def never():
    raise ValueError("no")


g = Greeter()
assert g.greet("you") == "Hello you" and Greeter.greet.n == 1 and Greeter.greet.__doc__ == "Greets."
assert fact(4) == 24 and fact.__wrapped__.__name__ == "fact"
assert COMMANDS["squares"](100) == 328350
random.seed(2)
assert COMMANDS["roll"]() == 6
print(roll_six.failures)
try:
    never()
except ValueError:
    assert never.failures == ["no"] * 3
assert Config(debug=True) is Config() and Config().debug
