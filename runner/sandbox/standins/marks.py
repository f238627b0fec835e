"""What marks tests of `unittest`: to be skipped, or expected to fail."""

from __future__ import annotations

import types
from typing import Any, NoReturn

from runner.sandbox.guards import Forbidden, is_users_own
from runner.sandbox.ownership import calling_module, home_of

# What marks a function or class, under names that user code can't write.
SKIP = "__unittest_skip_why__"
EXPECTING = "__unittest_expecting_failure__"


class SkipTest(Exception):
    """unittest.SkipTest."""


def skip(reason: Any) -> Any:
    if isinstance(reason, types.FunctionType):
        return skip("")(reason)

    def mark(item: Any) -> Any:
        if isinstance(item, type):
            return _marked(item, SKIP, str(reason))

        def skipped(*_arguments: Any, **_keywords: Any) -> NoReturn:
            raise SkipTest(reason)

        for name in ("__name__", "__qualname__", "__doc__"):
            if isinstance(text := getattr(item, name, None), str):
                setattr(skipped, name, text)
        setattr(skipped, SKIP, str(reason))
        return skipped

    return mark


def skipIf(condition: Any, reason: Any) -> Any:
    return skip(reason) if condition else lambda item: item


def skipUnless(condition: Any, reason: Any) -> Any:
    return skipIf(not condition, reason)


def expectedFailure(item: Any) -> Any:
    return item if hasattr(item, SKIP) else _marked(item, EXPECTING, True)


def _marked(item: Any, mark: str, value: Any) -> Any:
    is_own = is_users_own(item) and isinstance(item, type | types.FunctionType)
    if not is_own or home_of(item) != calling_module():
        raise Forbidden("a test is skipped, or expected to fail, in the module that defines it")
    (type.__setattr__ if isinstance(item, type) else setattr)(item, mark, value)
    return item
