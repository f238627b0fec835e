# What a cheap pocket calculator does: whatever key was pressed last is
# applied to the next number. Uses <<TokenizeExpression>>.
import operator

KEYS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "%": operator.mod,
    "^": operator.pow,
}


def EvaluateExpression(text):
    total, key = 0, "+"
    for token in TokenizeExpression(text):
        if token.kind == "number":
            total = KEYS[key](total, int(token.text))
        elif token.text in KEYS:
            key = token.text
    return total
