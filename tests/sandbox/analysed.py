"""Functions to be called in confined processes: what goes well there, and what goes wrong."""

import os
from typing import Any

from runner.analysis.analyst import Analyst
from runner.sandbox.language.compilation import complaints


def echo(value: Any) -> Any:
    return value


def check(value: Any) -> Any:
    return [found.message for found in complaints(value["code"], name="F")]


def spin(value: Any) -> Any:
    while True:
        pass


def crash(value: Any) -> Any:
    """Overflow the stack of C, as parsers do."""
    nested: Any = ()
    for _ in range(1_000_000):
        nested = map(str, nested)
    return list(nested)


def hog(value: Any) -> Any:
    return len([bytes(1 << 20) for _ in range(1 << 20)])


def deep(value: Any) -> Any:
    return deep(value)


def bug(value: Any) -> Any:
    raise KeyError("a bug of ours")


def large(value: Any) -> Any:
    return "x" * (8 << 20)


def nonsense(value: Any) -> Any:
    os.write(3, b"\xff" * 100)
    spin(value)


analyst = Analyst(
    {
        function.__name__: function
        for function in (echo, check, spin, crash, hog, deep, bug, large, nonsense)
    }
)
