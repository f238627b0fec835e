import sys
import traceback
import warnings


class AppError(Exception):
    """Base class of everything we raise."""
    code = 1

    def __init__(self, message, **context):
        super().__init__(message)
        self.context = context

    def __str__(self):
        extra = ", ".join("%s=%r" % kv for kv in sorted(self.context.items()))
        return self.args[0] + (" (%s)" % extra if extra else "")


class NotFound(AppError, LookupError):
    code = 44


class Invalid(AppError, ValueError):
    code = 22


def find(d, key):
    try:
        return d[key]
    except KeyError as e:
        raise NotFound("no such key", key=key) from e


def order_of_things(fail):
    log = []
    try:
        log.append("try")
        if fail:
            raise Invalid("bad")
    except Invalid:
        log.append("except")
    else:
        log.append("else")
    finally:
        log.append("finally")
    return log


assert order_of_things(True) == ["try", "except", "finally"]
assert order_of_things(False) == ["try", "else", "finally"]

try:
    find({}, "color")
except LookupError as e:
    print(e, e.code)
    assert isinstance(e.__cause__, KeyError) and e.__cause__.args == ("color",)
    assert e.__suppress_context__


def returns_from_finally():
    for i in range(3):
        try:
            continue
        finally:
            if i == 2:
                return i


assert returns_from_finally() == 2

try:
    try:
        1 / 0
    except ZeroDivisionError:
        undefined
except NameError as e:
    assert isinstance(e.__context__, ZeroDivisionError)
    print("while handling %r: %s" % (e.__context__, e))

try:
    raise ExceptionGroup("many", [ValueError(1), TypeError(2), ExceptionGroup("in", [OSError(3)])])
except* (ValueError, TypeError) as eg:
    print("group of", [type(e).__name__ for e in eg.exceptions])
except* OSError as eg:
    print("os", eg.exceptions[0].exceptions)

try:
    int("x1")
except ValueError:
    kind, value, tb = sys.exc_info()
    print(kind.__name__, value)
    last = traceback.format_exc().strip().splitlines()[-1]
    assert last == "ValueError: invalid literal for int() with base 10: 'x1'", last
assert sys.exc_info() == (None, None, None)

e = ValueError("base")
e.add_note("try again")
assert e.__notes__ == ["try again"]
print("".join(traceback.format_exception_only(type(e), e)), end="")

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("old thing", DeprecationWarning, stacklevel=2)
assert len(caught) == 1 and issubclass(caught[0].category, DeprecationWarning)
print(caught[0].message)


def recurse(n):
    return recurse(n + 1)


try:
    recurse(0)
except RecursionError as err:
    print(str(err).split(" in ")[0])

for exc in (KeyError("k"), IndexError(), OSError(2, "gone"), StopIteration(5), UnicodeDecodeError("utf8", b"\xff", 0, 1, "bad")):
    print(repr(exc), "|", exc)
try:
    assert 1 > 2, "math"
except AssertionError as e:
    print("asserted", *e.args)
try:
    raise SystemExit(3)
except SystemExit as e:
    assert e.code == 3
