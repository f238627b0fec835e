"""Values as messages: containers with their aliases and cycles, plain items, and references.

A message's values are a list of items and a *heap*. An item is a JSON atom or a list: `[3]` is the
container at place 3 of the heap, `[-1]` the first container of the message that this one answers,
`["Decimal", "1.5"]` a plain item, `["n", "len"]` a builtin by its name; any other is a reference,
which whoever owns the codec writes and reads. An entry of the heap is `[tag, *items]`. Values are
nested in the heap alone, so a message is never deeper than a few levels, however deep they are.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from runner.sandbox.border.plain import BUFFERS

MOST_PLACES = 1_000_000  # containers in one message

Item = Any  # what JSON has
Heap = list[list[Item]]

MAPPINGS: dict[type, str] = {
    dict: "dict",
    OrderedDict: "OrderedDict",
    Counter: "Counter",
    defaultdict: "defaultdict",
}
SEQUENCES: dict[type, str] = {list: "list", set: "set", deque: "deque"}
# Views of a dict cross as those of another: what one is equal to, its items tell.
VIEWS: dict[type, str] = {
    type(getattr(kind(), name)()): f"dict_{name}"
    for kind in (dict, OrderedDict)
    for name in ("keys", "values", "items")
}
FROZEN: dict[type, str] = {tuple: "tuple", frozenset: "frozenset", **VIEWS}
MUTABLE: dict[type, str] = {**MAPPINGS, **SEQUENCES, **{k: v[0] for k, v in BUFFERS.items()}}
TAGS = {**MUTABLE, **FROZEN}

# Many numbers of one type are sent as their bytes: as few for each as these arrays allow.
CODES: dict[type, str] = {int: "iq", float: "d"}


def container_type(value: object) -> type | None:
    """Return the type of container that can be changed in place and that this is, or extends."""
    kind = type(value)
    if kind in MUTABLE:
        return kind
    return next((each for each in kind.__mro__ if each in MUTABLE), None)
