import ast
import operator

OPS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}


def safe_eval(expr, names=None):
    names = names or {}

    def ev(node):
        if isinstance(node, ast.Expression):
            return ev(node.body)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.BinOp):
            return OPS[type(node.op)](ev(node.left), ev(node.right))
        if isinstance(node, ast.UnaryOp):
            return OPS[type(node.op)](ev(node.operand))
        if isinstance(node, ast.Name):
            return names[node.id]
        raise ValueError(f"unsupported {type(node).__name__}")

    return ev(ast.parse(expr, mode="eval"))


class NameCollector(ast.NodeVisitor):
    def __init__(self):
        self.names = []
        self.depth = 0

    def visit_Name(self, node):
        self.names.append(node.id)

    def visit_FunctionDef(self, node):
        self.names.append("def " + node.name)
        self.generic_visit(node)


class Doubler(ast.NodeTransformer):
    def visit_Constant(self, node):
        if isinstance(node.value, int):
            return ast.copy_location(ast.Constant(node.value * 2), node)
        return node


assert safe_eval("1 + 2 * -3") == -5
assert safe_eval("x ** 2 / y", {"x": 6, "y": 4}) == 9
try:
    safe_eval("f(1)")
except ValueError as e:
    assert str(e) == "unsupported Call"
c = NameCollector()
c.visit(ast.parse("def f(a):\n    return a + b\n"))
assert c.names == ["def f", "a", "b"]
assert ast.literal_eval("{'a': [1, 2.5, None, (True, 'x')]}") == {"a": [1, 2.5, None, (True, "x")]}
assert ast.unparse(Doubler().visit(ast.parse("x = 1 + y * 21"))) == "x = 2 + y * 42"
assert "BinOp" in ast.dump(ast.parse("1+1", mode="eval"))
try:
    ast.literal_eval("__import__('os')")
except ValueError:
    pass
print("ast ok")
