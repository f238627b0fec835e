# Top-down operator precedence, with symbols made on the fly.
import re


class SymbolBase(object):
    id = None
    value = None
    first = second = third = None

    def nud(self, parser):
        raise SyntaxError("Syntax error (%r)." % self.id)

    def led(self, parser, left):
        raise SyntaxError("Unknown operator (%r)." % self.id)

    def __repr__(self):
        if self.id in ("(name)", "(literal)"):
            return str(self.value)
        parts = self.id, self.first, self.second, self.third
        return "(" + " ".join(str(x) for x in parts if x is not None) + ")"


class Grammar:
    def __init__(self):
        self.symbols = {}
        self.symbol("(end)")

    def symbol(self, id, bp=0):
        try:
            s = self.symbols[id]
        except KeyError:
            class s(SymbolBase):
                pass
            s.__name__ = "symbol-" + id
            s.id = id
            s.lbp = bp
            self.symbols[id] = s
        else:
            s.lbp = max(bp, s.lbp)
        return s

    def infix(self, id, bp):
        def led(self, parser, left):
            self.first = left
            self.second = parser.expression(bp)
            return self
        self.symbol(id, bp).led = led

    def infix_r(self, id, bp):
        def led(self, parser, left):
            self.first = left
            self.second = parser.expression(bp - 1)
            return self
        self.symbol(id, bp).led = led

    def prefix(self, id, bp):
        def nud(self, parser):
            self.first = parser.expression(bp)
            return self
        self.symbol(id).nud = nud

    def method(self, s):
        """Decorator: bind the function to the symbol under its own name."""
        assert issubclass(s, SymbolBase)
        def bind(fn):
            setattr(s, fn.__name__, fn)
            return fn
        return bind

    def constant(self, id):
        @self.method(self.symbol(id))
        def nud(self, parser):
            self.id = "(literal)"
            self.value = id
            return self


class Parser:
    def __init__(self, grammar, text):
        self.grammar = grammar
        self.tokens = self.tokenize(text)
        self.token = next(self.tokens)

    def tokenize(self, text):
        for number, word, op in re.findall(r"\s*(?:(\d+)|(\w+)|(\*\*|[<>=!]=|.))", text):
            if number:
                s = self.grammar.symbols["(literal)"]()
                s.value = int(number)
            elif word and word not in self.grammar.symbols:
                s = self.grammar.symbols["(name)"]()
                s.value = word
            else:
                cls = self.grammar.symbols.get(word or op)
                if not cls:
                    raise SyntaxError("Unknown operator: " + (word or op))
                s = cls()
            yield s
        yield self.grammar.symbols["(end)"]()

    def advance(self, id=None):
        if id and self.token.id != id:
            raise SyntaxError("Expected %r, got %r" % (id, self.token.id))
        self.token = next(self.tokens, self.token)

    def expression(self, rbp=0):
        t = self.token
        self.advance()
        left = t.nud(self)
        while rbp < self.token.lbp:
            t = self.token
            self.advance()
            left = t.led(self, left)
        return left

    def parse(self):
        tree = self.expression()
        if self.token.id != "(end)":
            raise SyntaxError("Trailing %r" % self.token.id)
        return tree


g = Grammar()
g.symbol("(literal)").nud = lambda self, parser: self
g.symbol("(name)").nud = lambda self, parser: self
g.infix_r("or", 30); g.infix_r("and", 40); g.prefix("not", 50)
for op in ("<", ">", "==", "!=", "<=", ">="):
    g.infix(op, 60)
g.infix("+", 110); g.infix("-", 110)
g.infix("*", 120); g.infix("/", 120)
g.prefix("-", 130); g.prefix("+", 130)
g.infix_r("**", 140)
g.symbol(".", 150); g.symbol("[", 150); g.symbol("(", 150)
for punctuation in (")", "]", ",", ":", "else"):
    g.symbol(punctuation)
g.constant("None"); g.constant("True")


@g.method(g.symbol("("))
def nud(self, parser):
    expr = parser.expression()
    parser.advance(")")
    return expr


@g.method(g.symbol("("))
def led(self, parser, left):
    self.first = left
    self.second = []
    if parser.token.id != ")":
        while 1:
            self.second.append(parser.expression())
            if parser.token.id != ",":
                break
            parser.advance(",")
    parser.advance(")")
    return self


@g.method(g.symbol("."))
def led(self, parser, left):
    if parser.token.id != "(name)":
        raise SyntaxError("Expected an attribute name.")
    self.first, self.second = left, parser.token
    parser.advance()
    return self


@g.method(g.symbol("if", 20))
def led(self, parser, left):
    self.first = left
    self.second = parser.expression()
    parser.advance("else")
    self.third = parser.expression()
    return self


cases = """
1 + 2 * 3            => (+ 1 (* 2 3))
-2 ** 2              => (- (** 2 2))
a ** b ** c          => (** a (** b c))
1 - 2 - 3            => (- (- 1 2) 3)
not x and y or z     => (or (and (not x) y) z)
f(1, g(2), x+1)      => (( f [1, (( g [2]), (+ x 1)])
a.b.c <= 4           => (<= (. (. a b) c) 4)
1 if x else 2        => (if 1 x 2)
None == True         => (== None True)
(1 + 2) * 3          => (* (+ 1 2) 3)
"""
for line in cases.strip().splitlines():
    source, _, expected = line.partition("=>")
    got = repr(Parser(g, source.strip()).parse())
    assert got == expected.strip(), (source, got)
for bad in ("1 +", ") 1", "a b", "x.1", "(1", "1 ? 2"):
    try:
        Parser(g, bad).parse()
    except SyntaxError as e:
        print("%-6s -> %s" % (bad, e))
    else:
        raise AssertionError(bad)
print("all parsed")
