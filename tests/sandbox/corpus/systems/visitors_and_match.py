"""A little statement language: visitors the classic way, and with structural pattern matching."""
from dataclasses import dataclass, fields


class Node:
    def accept(self, visitor, *args):
        for cls in type(self).__mro__:
            method = getattr(visitor, "visit_" + cls.__name__.lower(), None)
            if method:
                return method(self, *args)
        return visitor.generic_visit(self, *args)


@dataclass
class Const(Node):
    value: object

@dataclass
class Name(Node):
    id: str

@dataclass
class BinOp(Node):
    left: Node
    op: str
    right: Node

@dataclass
class Assign(Node):
    target: str
    value: Node

@dataclass
class Print(Node):
    value: Node

@dataclass
class While(Node):
    test: Node
    body: list

@dataclass
class If(Node):
    test: Node
    body: list
    orelse: list

@dataclass
class Program(Node):
    body: list


class Visitor:
    def visit(self, node, *args):
        if isinstance(node, list):
            return [self.visit(n, *args) for n in node]
        return node.accept(self, *args)

    def generic_visit(self, node, *args):
        for f in fields(node):
            child = getattr(node, f.name)
            if isinstance(child, (Node, list)):
                self.visit(child, *args)


class Printer(Visitor):
    def visit_const(self, n, depth=0):
        return repr(n.value)

    def visit_name(self, n, depth=0):
        return n.id

    def visit_binop(self, n, depth=0):
        return f"{self.visit(n.left)} {n.op} {self.visit(n.right)}"

    def visit_assign(self, n, depth):
        return "    " * depth + f"{n.target} = {self.visit(n.value)}"

    def visit_print(self, n, depth):
        return "    " * depth + f"print {self.visit(n.value)}"

    def visit_while(self, n, depth):
        return "\n".join(["    " * depth + f"while {self.visit(n.test)}:", *self.visit(n.body, depth + 1)])

    def visit_if(self, n, depth):
        pad = "    " * depth
        lines = [f"{pad}if {self.visit(n.test)}:", *self.visit(n.body, depth + 1)]
        if n.orelse:
            lines += [pad + "else:", *self.visit(n.orelse, depth + 1)]
        return "\n".join(lines)

    def visit_program(self, n):
        return "\n".join(self.visit(n.body, 0))


class NameCollector(Visitor):
    def __init__(self):
        self.read, self.written = set(), set()

    def visit_name(self, n):
        self.read.add(n.id)

    def visit_assign(self, n):
        self.written.add(n.target)
        self.generic_visit(n)


def fold(node):
    match node:
        case BinOp(Const(a), "+", Const(b)):
            return Const(a + b)
        case BinOp(Const(a), "*", Const(b)):
            return Const(a * b)
        case BinOp(x, "*", Const(1)) | BinOp(x, "+", Const(0)):
            return fold(x)
        case BinOp(left, op, right):
            new = BinOp(fold(left), op, fold(right))
            return fold(new) if new != node else new
        case Assign(t, v):
            return Assign(t, fold(v))
        case Print(v):
            return Print(fold(v))
        case If(test, body, orelse):
            match fold(test):
                case Const(value):
                    return [fold(n) for n in (body if value else orelse)]
                case t:
                    return If(t, fold_all(body), fold_all(orelse))
        case While(test, body):
            return While(fold(test), fold_all(body))
        case Program(body):
            return Program(fold_all(body))
        case _:
            return node


def fold_all(nodes):
    out = []
    for n in map(fold, nodes):
        out.extend(n if isinstance(n, list) else [n])
    return out


def execute(node, env, out):
    match node:
        case Const(v):
            return v
        case Name(id) if id in env:
            return env[id]
        case Name(id):
            raise NameError(id)
        case BinOp(l, op, r):
            a, b = execute(l, env, out), execute(r, env, out)
            match op:
                case "+": return a + b
                case "-": return a - b
                case "*": return a * b
                case "<": return a < b
                case "%": return a % b
                case _: raise SyntaxError(f"operator {op}")
        case Assign(target, value):
            env[target] = execute(value, env, out)
        case Print(value):
            out.append(execute(value, env, out))
        case If(test, body, orelse):
            for n in body if execute(test, env, out) else orelse:
                execute(n, env, out)
        case While(test, [*body]):
            while execute(test, env, out):
                for n in body:
                    execute(n, env, out)
        case Program(body=statements):
            for n in statements:
                execute(n, env, out)
            return out


program = Program([
    Assign("i", Const(0)),
    While(BinOp(Name("i"), "<", BinOp(Const(2), "+", Const(3))), [
        If(BinOp(BinOp(Name("i"), "%", Const(2)), "<", Const(1)), [Print(Name("i"))], [Print(Const("odd"))]),
        Assign("i", BinOp(Name("i"), "+", BinOp(Const(1), "*", Const(1)))),
    ]),
    If(Const(False), [Print(Name("nothing"))], [Print(Const("done"))]),
])

if __name__ == "__main__":
    assert execute(program, {}, []) == [0, "odd", 2, "odd", 4, "done"]
    small = fold(program)
    text = Printer().visit(small)
    print(text)
    assert text.splitlines()[1] == "while i < 5:" and text.endswith("    i = i + 1\nprint 'done'")
    assert execute(small, {}, []) == execute(program, {}, [])
    names = NameCollector()
    names.visit(program)
    assert names.read == {"i", "nothing"} and names.written == {"i"}
    try:
        execute(Print(Name("x")), {}, [])
    except NameError as e:
        assert str(e) == "x"
