import re
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union


class Token:
    __slots__ = ("kind", "text", "pos")

    def __init__(self, kind, text, pos):
        self.kind, self.text, self.pos = kind, text, pos

    def __repr__(self):
        return f"<{self.kind} {self.text!r}>"


class BreakLoop(Exception): pass
class ReturnValue(Exception):
    def __init__(self, value): self.value = value


TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(\"[^\"]*\")|(==|!=|<=|>=|[-+*/%<>=(){},;]))")


def lex(src):
    pos, src = 0, src.rstrip()
    while pos < len(src):
        m = TOKEN.match(src, pos)
        if not m:
            raise SyntaxError(f"bad char {src[pos]!r} at {pos}")
        yield Token(("num", "name", "str", "op")[m.lastindex - 1], m[m.lastindex], m.start(m.lastindex))
        pos = m.end()
    yield Token("end", "", pos)


@dataclass
class Fn:
    params: List[str]
    body: list
    env: Dict[str, Any]


class Parser:
    PREC = {"==": 1, "!=": 1, "<": 2, ">": 2, "<=": 2, ">=": 2, "+": 3, "-": 3, "*": 4, "/": 4, "%": 4}

    def __init__(self, src):
        self.toks = list(lex(src))
        self.i = 0

    @property
    def cur(self): return self.toks[self.i]

    def eat(self, text=None):
        t = self.cur
        if text is not None and t.text != text:
            raise SyntaxError(f"expected {text!r} but got {t!r}")
        self.i += 1
        return t

    def maybe(self, text):
        if self.cur.text == text and self.cur.kind != "str":
            return self.eat()

    def program(self):
        out = []
        while self.cur.kind != "end":
            out.append(self.stmt())
        return out

    def block(self):
        self.eat("{")
        out = []
        while not self.maybe("}"):
            out.append(self.stmt())
        return out

    def stmt(self):
        if self.maybe("while"):
            return ("while", self.expr(), self.block())
        if self.maybe("if"):
            return ("if", self.expr(), self.block(), self.block() if self.maybe("else") else [])
        if self.maybe("fn"):
            name, params = self.eat().text, []
            self.eat("(")
            while not self.maybe(")"):
                params.append(self.eat().text)
                self.maybe(",")
            return ("fn", name, params, self.block())
        for word in ("return", "print"):
            if self.maybe(word):
                node = (word, self.expr())
                self.eat(";")
                return node
        if self.maybe("break"):
            self.eat(";")
            return ("break",)
        if self.cur.kind == "name" and self.toks[self.i + 1].text == "=":
            name = self.eat().text
            self.eat("=")
            node = ("set", name, self.expr())
        else:
            node = ("expr", self.expr())
        self.eat(";")
        return node

    def expr(self, prec=0):
        left = self.atom()
        while (p := self.PREC.get(self.cur.text, 0)) > prec:
            op = self.eat().text
            left = ("bin", op, left, self.expr(p))
        return left

    def atom(self):
        t = self.eat()
        if t.kind == "num":
            return ("const", int(t.text))
        if t.kind == "str":
            return ("const", t.text[1:-1])
        if t.text == "(":
            e = self.expr()
            self.eat(")")
            return e
        if t.kind == "name":
            if self.maybe("("):
                args = []
                while not self.maybe(")"):
                    args.append(self.expr())
                    self.maybe(",")
                return ("call", t.text, args)
            return ("var", t.text)
        raise SyntaxError(f"unexpected {t!r}")


class Interp:
    BIN = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a // b, "%": lambda a, b: a % b, "<": lambda a, b: a < b, ">": lambda a, b: a > b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b}

    def __init__(self):
        self.out, self.globals = [], {}

    def run(self, src):
        self.exec(Parser(src).program(), self.globals)
        return self.out

    def exec(self, stmts, env):
        for s in stmts:
            getattr(self, "do_" + s[0])(*s[1:], env)

    def eval(self, node, env):
        match node:
            case ("const", v): return v
            case ("var", n): return env[n] if n in env else self.globals[n]
            case ("bin", op, l, r): return self.BIN[op](self.eval(l, env), self.eval(r, env))
            case ("call", name, args):
                fn = self.globals[name]
                try:
                    self.exec(fn.body, dict(zip(fn.params, [self.eval(a, env) for a in args])))
                except ReturnValue as r:
                    return r.value

    def do_set(self, n, e, env): env[n] = self.eval(e, env)
    def do_expr(self, e, env): self.eval(e, env)
    def do_print(self, e, env): self.out.append(self.eval(e, env))
    def do_return(self, e, env): raise ReturnValue(self.eval(e, env))
    def do_break(self, env): raise BreakLoop
    def do_fn(self, name, params, body, env): self.globals[name] = Fn(params, body, env)
    def do_if(self, c, a, b, env): self.exec(a if self.eval(c, env) else b, env)
    def do_while(self, c, body, env):
        try:
            while self.eval(c, env):
                self.exec(body, env)
        except BreakLoop:
            pass


out = Interp().run("""
fn fib(n) { if n < 2 { return n; } return fib(n-1) + fib(n-2); }
i = 0;
while 1 { if i > 10 { break; } if i % 5 == 0 { print fib(i); } else { } i = i + 1; }
print "done" + "!";
print 2 + 3 * (4 - 1) - 10 / 2;
""")
assert out == [0, 5, 55, "done!", 6], out
for bad in ("x = ;", "a b", "$"):
    try:
        Interp().run(bad)
    except SyntaxError as e:
        print(e)
    else:
        raise AssertionError(bad)
