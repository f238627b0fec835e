"""PURE: the collections whose items code declares in comments that it reads."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from functions.source.lexer import Kind, Token, tokens


class CollectionRead(NamedTuple):
    """A variable with the items of a collection that fit a query, as in its address."""

    variable: str
    collection: str
    query: str


_DECLARATION = re.compile(
    r"\s*collection\s+(?:(?P<variable>[A-Za-z_]\w*)\s*=\s*)?"
    r"(?P<name>[A-Za-z_]\w*)(?:\?(?P<query>\S*))?\s*"
)
_COMMENT = re.compile(r"(?:#|//)?(?P<text>[^\n]*)")


def parse_reads(comments: Iterable[str]) -> list[CollectionRead]:
    """Return what comments like `collection open = Tasks?done=false` declare, in order.

    They come without their delimiters. A declaration without a variable has that of the
    collection's name; of two with the same variable, the last one counts.
    """
    found = filter(None, map(_DECLARATION.fullmatch, comments))
    reads = (
        CollectionRead(each["variable"] or each["name"], each["name"], each["query"] or "")
        for each in found
    )
    return list({read.variable: read for read in reads}.values())


def find_reads(
    code: str, tokens: Callable[[str], Iterator[Token]] = tokens
) -> list[CollectionRead]:
    """Return what the comments of code declare; `tokens` is the lexer of its language."""
    comments = (token for token in tokens(code) if token.kind is Kind.COMMENT)
    found = (_COMMENT.fullmatch(code, comment.start, comment.end) for comment in comments)
    return parse_reads(each["text"].rstrip("\r") for each in found if each)
