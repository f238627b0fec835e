# Fine as long as everybody types blanks.
from dataclasses import dataclass


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    column: int


def TokenizeExpression(text):
    tokens = []
    for part in text.split():
        kind = "number" if part.isdigit() else "symbol"
        tokens.append(Token(kind, part, text.index(part) + 1))
    return tokens
