import functools
import inspect
import warnings


class ApiWarning(UserWarning):
    pass


def deprecated(replacement):
    def decorate(obj):
        kind = "class" if inspect.isclass(obj) else "function"

        @functools.wraps(obj)
        def wrapper(*args, **kwargs):
            warnings.warn(f"{kind} {obj.__name__} is deprecated, use {replacement}", DeprecationWarning, stacklevel=2)
            return obj(*args, **kwargs)
        return wrapper
    return decorate


def rename_kwargs(**aliases):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            for old, new in aliases.items():
                if old in kwargs:
                    if new in kwargs:
                        raise TypeError(f"{f.__name__}() received both {old} and {new}")
                    warnings.warn(f"{old} is now {new}", ApiWarning)
                    kwargs[new] = kwargs.pop(old)
            return f(*args, **kwargs)
        return wrapper
    return decorate


@deprecated("area()")
def get_area(w, h):
    """Old."""
    return w * h


@rename_kwargs(colour="color")
def paint(thing, color="white"):
    return f"{color} {thing}"


with warnings.catch_warnings(record=True) as log:
    warnings.simplefilter("always")
    assert get_area(2, 3) == 6
    assert paint("door", colour="red") == "red door"
    for w in log:
        print(w.category.__name__, "-", w.message)
assert [w.category for w in log] == [DeprecationWarning, ApiWarning]

with warnings.catch_warnings():
    warnings.simplefilter("error", ApiWarning)
    try:
        paint("door", colour="red")
    except ApiWarning as e:
        print("as an error:", e)
    warnings.filterwarnings("ignore", message=".*is now.*")
    assert paint("door", colour="blue") == "blue door"
try:
    paint("x", colour=1, color=2)
except TypeError as e:
    print(e)
sig = inspect.signature(get_area)
assert list(sig.parameters) == ["w", "h"] and get_area.__doc__ == "Old."
spec = inspect.getfullargspec(paint.__wrapped__)
assert spec.args == ["thing", "color"] and spec.defaults == ("white",)
