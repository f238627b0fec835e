"""PURE: splits a merge patch of an expanded document into patches of the documents it links."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from functions.errors import Refusal
from functions.errors import gettext as _
from functions.kinds.document_source import KEY, TRANSFORM, is_link

NOTHING = object()  # a patch that changes nothing


class LinkedPatch(NamedTuple):
    """A merge patch of what lies behind a link; `path` is the link's place."""

    name: str
    patch: dict[str, Any]
    path: str


def split_patch(value: Any, patch: Any) -> tuple[Any, list[LinkedPatch]]:
    """Return the patch of the document itself, NOTHING if there is none, and of linked ones.

    `value` is the document as stored. A patch of a link that is no link itself goes to what it
    leads to; null removes the link, and a link replaces it. Raises a Refusal for a patch of what a
    transform made, which can't be written back.
    """
    linked: list[LinkedPatch] = []
    own = _split(value, patch, "", linked)
    return own, linked


def _split(value: Any, patch: Any, path: str, linked: list[LinkedPatch]) -> Any:
    if not isinstance(patch, dict):
        return patch
    if is_link(value):
        if patch.keys() & {KEY, TRANSFORM}:
            return patch
        linked.append(_behind(value, patch, path))
        return NOTHING
    if not isinstance(value, dict):
        return patch
    own = dict(_own_members(value, patch, path, linked))
    return own if own or not patch else NOTHING


def _own_members(
    value: dict[str, Any], patch: dict[str, Any], path: str, linked: list[LinkedPatch]
) -> Iterator[tuple[str, Any]]:
    for name, part in patch.items():
        place = f"{path}.{name}" if path else name
        own = _split(value.get(name), part, place, linked)
        if own is not NOTHING:
            yield name, own


def _behind(link: dict[str, Any], patch: dict[str, Any], path: str) -> LinkedPatch:
    if TRANSFORM in link:
        message = _(
            "%(path)s is what %(transform)s makes of %(name)s, so it can't be changed here; "
            "change %(name)s."
        )
        names = {"path": path or "$", "transform": link[TRANSFORM], "name": link[KEY]}
        raise Refusal("transformed_link", message % names, field=path)
    return LinkedPatch(link[KEY], patch, path)
