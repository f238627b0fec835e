import operator as op
from collections import namedtuple

Token = namedtuple("Token", ["type", "value", "pos"])


class CalcError(Exception):
    def __init__(self, message, pos):
        Exception.__init__(self, message)
        self.pos = pos

    def show(self, source):
        return "%s\n%s^ %s" % (source, " " * self.pos, self)


class Lexer(object):
    def __init__(self, text):
        self.text = text
        self.pos = 0
        self.current_char = self.text[self.pos] if text else None

    def advance(self):
        self.pos += 1
        self.current_char = self.text[self.pos] if self.pos < len(self.text) else None

    def number(self):
        result = ""
        while self.current_char is not None and (self.current_char.isdigit() or self.current_char == "."):
            result += self.current_char
            self.advance()
        return float(result) if "." in result else int(result)

    def word(self):
        start = self.pos
        while self.current_char is not None and self.current_char.isalnum():
            self.advance()
        return self.text[start:self.pos]

    def get_next_token(self):
        while self.current_char is not None:
            start = self.pos
            if self.current_char.isspace():
                self.advance()
                continue
            if self.current_char.isdigit():
                return Token("NUMBER", self.number(), start)
            if self.current_char.isalpha():
                return Token("NAME", self.word(), start)
            if self.current_char in "+-*/^()=,":
                ch = self.current_char
                self.advance()
                return Token(ch, ch, start)
            raise CalcError("invalid character", start)
        return Token("EOF", None, self.pos)


class Interpreter(object):
    functions = {"max": max, "min": min, "abs": abs, "sqrt": lambda x: x ** .5}

    def __init__(self):
        self.variables = {}

    def error(self, expected):
        raise CalcError("expected " + expected, self.token.pos)

    def eat(self, token_type):
        if self.token.type == token_type:
            self.token = self.lexer.get_next_token()
        else:
            self.error(token_type)

    def run(self, text):
        self.lexer = Lexer(text)
        self.token = self.lexer.get_next_token()
        result = self.statement()
        if self.token.type != "EOF":
            self.error("end")
        return result

    def statement(self):
        value = self.expr()
        if self.token.type == "=":
            name = self.last_name
            self.eat("=")
            value = self.variables[name] = self.expr()
        return value

    def expr(self):
        node = self.term()
        while self.token.type in ("+", "-"):
            f = {"+": op.add, "-": op.sub}[self.token.type]
            self.eat(self.token.type)
            node = f(node, self.term())
        return node

    def term(self):
        node = self.power()
        while self.token.type in "*/":
            f = op.mul if self.token.type == "*" else op.truediv
            self.eat(self.token.type)
            node = f(node, self.power())
        return node

    def power(self):
        base = self.factor()
        if self.token.type == "^":
            self.eat("^")
            return base ** self.power()
        return base

    def factor(self):
        token = self.token
        if token.type == "NUMBER":
            self.eat("NUMBER")
            return token.value
        elif token.type == "-":
            self.eat("-")
            return -self.factor()
        elif token.type == "(":
            self.eat("(")
            node = self.expr()
            self.eat(")")
            return node
        elif token.type == "NAME":
            self.eat("NAME")
            if self.token.type == "(":
                self.eat("(")
                args = [self.expr()]
                while self.token.type == ",":
                    self.eat(",")
                    args.append(self.expr())
                self.eat(")")
                return self.functions[token.value](*args)
            self.last_name = token.value
            return self.variables.get(token.value, 0)
        self.error("a value")


calc = Interpreter()
for text, expected in [("7 + 3 * (10 / (12 / (3 + 1) - 1))", 22), ("2 ^ 3 ^ 2", 512), ("-3 + 5", 2),
                       ("x = 4 * 2.5", 10), ("x - 1", 9), ("max(1, x, 3) + sqrt(16)", 14)]:
    result = calc.run(text)
    print("%s = %s" % (text, result))
    assert result == expected
for bad in ("2 + * 3", "(1", "3 $ 4", "1 2"):
    try:
        calc.run(bad)
    except CalcError as e:
        print(e.show(bad))
