from dataclasses import dataclass


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    column: int


def TokenizeExpression(text):
    tokens = []
    place = 0
    while place < len(text):
        start = place
        place += 1
        if text[start] in "+-*/%^()":
            tokens.append(Token("symbol", text[start], start + 1))
        elif text[start] in "0123456789":
            while place < len(text) and text[place] in "0123456789":
                place += 1
            tokens.append(Token("number", text[start:place], start + 1))
        elif not text[start].isspace():
            raise ValueError(f"column {start + 1}: unexpected {text[start]!r}")
    return tokens
