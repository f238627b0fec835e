import io
from contextlib import (AbstractContextManager, ContextDecorator, ExitStack, closing, contextmanager,
                        nullcontext, redirect_stdout, suppress, redirect_stderr)
import sys

events = []


@contextmanager
def tag(name, out=events):
    out.append(f"<{name}>")
    try:
        yield name.upper()
    finally:
        out.append(f"</{name}>")


@contextmanager
def temporarily(obj, **changes):
    """Set attributes for the time of a block."""
    old = {k: getattr(obj, k) for k in changes}
    obj.__dict__.update(changes)
    try:
        yield obj
    finally:
        for k, v in old.items():
            setattr(obj, k, v)


@contextmanager
def translate(mapping):
    try:
        yield
    except tuple(mapping) as exc:
        raise mapping[type(exc)](str(exc)) from exc


class Tracer(ContextDecorator):
    def __init__(self, label):
        self.label = label
        self.depth = 0

    def __enter__(self):
        self.depth += 1
        events.append("enter " + self.label)
        return self

    def __exit__(self, *exc):
        self.depth -= 1
        events.append("leave %s%s" % (self.label, " with " + exc[0].__name__ if exc[0] else ""))
        return False


class Transaction(AbstractContextManager):
    """Roll a dictionary back when the block fails."""

    def __init__(self, data):
        self.data = data

    def __enter__(self):
        self._saved = dict(self.data)
        return self.data

    def __exit__(self, exc_type, exc_value, traceback):
        if exc_type is not None:
            self.data.clear()
            self.data.update(self._saved)
        return exc_type is not None and issubclass(exc_type, KeyError)


class Resource:
    def __init__(self, name, fail=False):
        if fail:
            raise OSError("cannot get " + name)
        self.name = name
        events.append("open " + name)

    def close(self):
        events.append("close " + self.name)


class Callback(ExitStack):
    def __init__(self, callback=None, /, *args, **kwds):
        super().__init__()
        if callback:
            self.callback(callback, *args, **kwds)

    def cancel(self):
        self.pop_all()


def take_events():
    got = events[:]
    events.clear()
    return got


@Tracer("func")
def work(x):
    return 1 / x


def acquire_all(*specs):
    with ExitStack() as stack:
        got = [stack.enter_context(closing(Resource(n, f))) for n, f in specs]
        return got, stack.pop_all()


class Options:
    width = 80

    def __init__(self):
        self.color = "red"


with tag("a") as a, tag("b") as b:
    events.append(a + b)
assert take_events() == ["<a>", "<b>", "AB", "</b>", "</a>"]

opts = Options()
with temporarily(opts, color="blue", width=20):
    assert (opts.color, opts.width) == ("blue", 20)
assert (opts.color, opts.width) == ("red", 80)

try:
    with translate({KeyError: LookupError, ZeroDivisionError: ValueError}):
        1 // 0
except ValueError as e:
    assert isinstance(e.__cause__, ZeroDivisionError)
else:
    raise AssertionError

assert work(4) == 0.25
with suppress(ZeroDivisionError):
    work(0)
assert take_events() == ["enter func", "leave func", "enter func", "leave func with ZeroDivisionError"]

store = {"x": 1}
with Transaction(store) as d:
    d["y"] = 2
with Transaction(store) as d:
    d["x"] = 99
    d["missing"]
assert store == {"x": 1, "y": 2}

resources, cleanup = acquire_all(("r1", False), ("r2", False))
assert [r.name for r in resources] == ["r1", "r2"]
cleanup.close()
try:
    acquire_all(("r3", False), ("r4", True))
except OSError as e:
    assert e.args[0] == "cannot get r4"
assert take_events() == ["open r1", "open r2", "close r2", "close r1", "open r3", "close r3"]

with ExitStack() as stack:
    for i in range(3):
        stack.callback(events.append, i)

    @stack.callback
    def last_in_first_out():
        events.append("first")
assert take_events() == ["first", 2, 1, 0]

with Callback(events.append, "cleanup!") as cb:
    cb.cancel()
assert not events

buf = io.StringIO()
with redirect_stdout(buf):
    print("hidden", 1, sep="-")
    sys.stdout.write("too\n")
assert buf.getvalue() == "hidden-1\ntoo\n"
err = io.StringIO()
with redirect_stderr(err):
    print("oops", file=sys.stderr)
assert err.getvalue().strip() == "oops"

for cm in (nullcontext(5), closing(Resource("z"))):
    with cm as value:
        pass
assert take_events() == ["open z", "close z"]


@contextmanager
def no_yield():
    if False:
        yield


try:
    with no_yield():
        pass
except RuntimeError as e:
    assert "didn't yield" in str(e)
