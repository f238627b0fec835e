import re
from dataclasses import dataclass

PATTERN = re.compile(r"\s*(?:(?P<number>[0-9]+)|(?P<symbol>[-+*/%^()]))")


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    column: int


def TokenizeExpression(text):
    tokens = []
    position = 0
    end = len(text.rstrip())
    while position < end:
        match = PATTERN.match(text, position)
        if match is None:
            start = end - len(text[position:end].lstrip())
            raise ValueError(f"column {start + 1}: unexpected {text[start]!r}")
        kind = match.lastgroup
        tokens.append(Token(kind, match[kind], match.start(kind) + 1))
        position = match.end()
    return tokens
