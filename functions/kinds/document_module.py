"""PURE: the Python module that a document becomes in a program: its value, with links expanded.

So everything that holds for functions (closures, cycles, cascades, tests in a process of their own)
holds for documents without further rules.
"""

import json
from collections.abc import Collection
from typing import Any

from functions.kinds.document_source import find_links, missing_link, parse_document, replace_links

_HEAD = """\
import copy
import json

__all__ = [{name!r}]

{name} = json.loads({text})
"""
_FUNCTION = """

def {expand}(linked, missing, transform=copy.deepcopy):
    if not isinstance(linked, (dict, list)):
        return missing
    return transform(copy.deepcopy(linked))

"""
# The name is not bound if no such document is current.
_LINKED = """
try:
    {linked} = {key}
except NameError:
    {linked} = None
"""
_PLACE = "{target} = {expand}({linked}, {missing!r}{transform})\n"


def generate_module(name: str, text: str) -> str:
    """Return the module of a document of this name. Raises InvalidDocument."""
    value = parse_document(text)
    links = list(find_links(value))
    parts = [_HEAD.format(name=name, text=_literal(replace_links(value, dict.fromkeys(links))))]
    taken = {name, *(link.key for link in links), *(link.transform for link in links)}
    expand = _free_name("expand", taken)
    linked = {
        key: _free_name(f"linked_{number}", taken)
        for number, key in enumerate(dict.fromkeys(link.key for link in links))
    }
    if links:
        parts.append(_FUNCTION.format(expand=expand))
    parts += [_LINKED.format(linked=variable, key=key) for key, variable in linked.items()]
    for link in links:
        parts.append(
            _PLACE.format(
                target=name + "".join(f"[{each!r}]" for each in link.path),
                expand=expand,
                linked=linked[link.key],
                missing=missing_link(link),
                transform=f", {link.transform}" if link.transform else "",
            )
        )
    return "".join(parts)


def _free_name(wanted: str, taken: Collection[str]) -> str:
    while wanted in taken:
        wanted += "_"
    return wanted


def _literal(value: Any) -> str:
    """Return the value's JSON as a string of Python, one member a line."""
    lines = json.dumps(value, ensure_ascii=False, indent=1).split("\n")
    if len(lines) == 1:
        return repr(lines[0])
    return "(\n" + "".join(f"    {line + chr(10)!r}\n" for line in lines) + ")"
