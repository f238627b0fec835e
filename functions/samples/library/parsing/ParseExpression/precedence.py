# Read an operand, then go on as long as operators bind tightly enough.
# The tokens come from <<TokenizeExpression>>, and its Token with them.
STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "^": 4}
STRENGTH_OF_SIGN = 3


def ParseExpression(text):
    tokens = TokenizeExpression(text)
    tokens.append(Token("end", "the end", len(text) + 1))
    tokens.reverse()
    tree = _expression(tokens, 1)
    if tokens[-1].kind != "end":
        raise _unexpected(tokens[-1])
    return tree


def _expression(tokens, weakest):
    left = _operand(tokens)
    while STRENGTH.get(tokens[-1].text, 0) >= weakest:
        operator = tokens.pop().text
        strength = STRENGTH[operator]
        right = _expression(tokens, strength + (operator != "^"))
        left = (operator, left, right)
    return left


def _operand(tokens):
    token = tokens.pop()
    if token.kind == "number":
        return int(token.text)
    if token.text == "-":
        return ("-", _expression(tokens, STRENGTH_OF_SIGN))
    if token.text != "(":
        raise _unexpected(token)
    inside = _expression(tokens, 1)
    closing = tokens.pop()
    if closing.text != ")":
        raise _unexpected(closing)
    return inside


def _unexpected(token):
    return ValueError(f"column {token.column}: unexpected {token.text}")
