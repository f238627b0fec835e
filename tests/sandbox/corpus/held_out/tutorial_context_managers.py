import contextlib
import io
import time
from contextlib import contextmanager, ExitStack, suppress, closing


class Timer:
    """with Timer() as t: ...; t.elapsed"""

    def __enter__(self):
        self.start = time.time()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.elapsed = time.time() - self.start
        return False


class Outline:
    def __init__(self):
        self.level = -1

    def __enter__(self):
        self.level += 1
        return self

    def __exit__(self, *exc):
        self.level -= 1

    def item(self, text):
        print("    " * self.level + "* " + text)


@contextmanager
def tag(name):
    print("<%s>" % name, end="")
    try:
        yield name.upper()
    finally:
        print("</%s>" % name)


@contextmanager
def assert_raises(expected):
    try:
        yield
    except expected as e:
        print(f"ok, {type(e).__name__}: {e}")
    else:
        raise AssertionError(f"{expected.__name__} not raised")


@contextmanager
def transaction(db):
    saved = dict(db)
    try:
        yield db
    except BaseException:
        db.clear()
        db.update(saved)
        raise


class Door:
    def __init__(self, log, n):
        self.log, self.n = log, n
        log.append(f"open {n}")

    def close(self):
        self.log.append(f"close {self.n}")


with Timer() as t:
    sum(range(1000))
assert t.elapsed >= 0

with Outline() as outline:
    outline.item("fruit")
    with outline:
        outline.item("apples")
        with outline:
            outline.item("red ones")
    outline.item("bread")

with tag("h1") as name:
    print(name, end="")

with suppress(KeyError, IndexError):
    {}["x"]
    raise AssertionError("not reached")

db = {"ann": 10, "bob": 5}
with assert_raises(ZeroDivisionError):
    with transaction(db) as d:
        d["ann"] -= 100
        d["bob"] /= 0
assert db == {"ann": 10, "bob": 5}
with transaction(db):
    db["ann"] += 1
assert db["ann"] == 11

log = []
with ExitStack() as stack:
    doors = [stack.enter_context(closing(Door(log, i))) for i in range(3)]
    stack.callback(log.append, "callback")
    stack.push(lambda *exc: log.append(exc[0] and exc[0].__name__))
assert log == ["open 0", "open 1", "open 2", None, "callback", "close 2", "close 1", "close 0"], log

buffer = io.StringIO()
with contextlib.redirect_stdout(buffer):
    print("captured", 1, 2, sep="-")
assert buffer.getvalue() == "captured-1-2\n"


class Shouter(contextlib.ContextDecorator):
    def __enter__(self):
        print("START")

    def __exit__(self, *exc):
        print("END")


@Shouter()
def work():
    print("working")
    return 5


assert work() == 5
with contextlib.nullcontext(3) as three:
    assert three == 3
try:
    with assert_raises(KeyError):
        pass
except AssertionError as e:
    assert "not raised" in e.args[0]
