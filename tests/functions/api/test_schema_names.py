"""Schemas of the description are told by their names, so each name has one class."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

from socialcode.api import api


def test_no_two_schemas_have_the_same_name() -> None:
    named = defaultdict(set)
    for schema in _schemas():
        named[schema.__name__].add(schema.__module__)
    assert len(named) > 100
    assert {name: found for name, found in named.items() if len(found) > 1} == {}


def _schemas() -> Iterator[type[BaseModel]]:
    seen: set[type[BaseModel]] = set()
    for _, router in api._routers:
        for view in router.path_operations.values():
            for operation in view.operations:
                for described in (*operation.models, *operation.response_models.values()):
                    yield from _within(described, seen)


def _within(annotation: Any, seen: set[type[BaseModel]]) -> Iterator[type[BaseModel]]:
    for part in get_args(annotation):
        yield from _within(part, seen)
    is_schema = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    if is_schema and annotation not in seen:
        seen.add(annotation)
        yield annotation
        for field in annotation.model_fields.values():
            yield from _within(field.annotation, seen)
