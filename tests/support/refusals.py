"""What a use case refuses, and with which code."""

from collections.abc import Callable

import pytest

from functions.errors import Refusal


def refusal_of(act: Callable[..., object], *args: object, **given: object) -> Refusal:
    """Return what the use case raises."""
    with pytest.raises(Refusal) as refused:
        act(*args, **given)
    return refused.value


def code_of(act: Callable[..., object], *args: object, **given: object) -> str:
    """Return the code of what the use case raises."""
    return refusal_of(act, *args, **given).code
