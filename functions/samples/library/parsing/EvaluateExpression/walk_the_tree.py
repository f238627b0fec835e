# <<ParseExpression>> grows the tree; the values come from <<Add>>,
# <<Subtract>>, <<Multiply>>, <<Divide>>, <<Remainder>>, <<Power>> and
# <<Negate>>.
OPERATIONS = {
    "+": Add,
    "-": Subtract,
    "*": Multiply,
    "/": Divide,
    "%": Remainder,
    "^": Power,
}


def EvaluateExpression(text):
    return _value(ParseExpression(text))


def _value(tree):
    match tree:
        case int():
            return tree
        case "-", operand:
            return Negate(_value(operand))
        case operator, left, right:
            return OPERATIONS[operator](_value(left), _value(right))
