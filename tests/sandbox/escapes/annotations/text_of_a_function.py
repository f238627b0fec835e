# Annotations given as text are kept as text, and nobody runs it.
# stopped by: nothing to gain
# ends: passed
import inspect
import typing


def f(x: "reached(1)", *y: "reached(1)", z: "reached(1)" = 0) -> "reached(1)":
    return x


for ask in (typing.get_type_hints, inspect.signature):
    try:
        ask(f)
    except Exception:
        pass
assert f(1) == 1
