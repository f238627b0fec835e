"""A little Forth. Words are Python closures; definitions compile to lists."""
import operator


class ForthError(Exception):
    pass


class Forth:
    def __init__(self):
        self.stack = []
        self.output = []
        self.memory = {}
        self.words = dict(self._primitives())
        self.compiling = None

    # -- stack helpers
    def push(self, *values):
        self.stack.extend(values)

    def pop(self, n=1):
        if len(self.stack) < n:
            raise ForthError("stack underflow")
        values = self.stack[-n:]
        del self.stack[-n:]
        return values[0] if n == 1 else values

    def _primitives(self):
        def binary(f):
            return lambda: self.push(f(*self.pop(2)))

        for name, f in {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv,
                        "mod": operator.mod, "and": operator.and_, "or": operator.or_, "xor": operator.xor,
                        "min": min, "max": max}.items():
            yield name, binary(f)
        for name, f in (("=", operator.eq), ("<", operator.lt), (">", operator.gt)):
            yield name, binary(lambda a, b, f=f: -int(f(a, b)))
        yield "dup", lambda: self.push(*[self.pop()] * 2)
        yield "drop", self.pop
        yield "swap", lambda: self.push(*reversed(self.pop(2)))
        yield "over", lambda: (ab := self.pop(2), self.push(*ab, ab[0]))
        yield "rot", lambda: (abc := self.pop(3), self.push(abc[1], abc[2], abc[0]))
        yield "negate", lambda: self.push(-self.pop())
        yield ".", lambda: self.output.append(str(self.pop()))
        yield "emit", lambda: self.output.append(chr(self.pop()))
        yield "cr", lambda: self.output.append("\n")
        yield "!", self._store
        yield "@", lambda: self.push(self.memory.get(self.pop(), 0))
        yield "depth", lambda: self.push(len(self.stack))

    def _store(self):
        value, address = self.pop(2)
        self.memory[address] = value

    # -- compiler: turns tokens into a list of callables
    def _compile(self, tokens, until=()):
        code = []
        for token in tokens:
            if token in until:
                return code, token
            if token == "if":
                then, end = self._compile(tokens, ("else", "then"))
                other = self._compile(tokens, ("then",))[0] if end == "else" else []
                code.append(lambda then=then, other=other: self._run(then if self.pop() else other))
            elif token == "begin":
                body, end = self._compile(tokens, ("until", "while"))
                if end == "until":
                    code.append(lambda body=body: self._until(body))
                else:
                    rest, _ = self._compile(tokens, ("repeat",))
                    code.append(lambda body=body, rest=rest: self._while(body, rest))
            elif token == "do":
                body, _ = self._compile(tokens, ("loop",))
                code.append(lambda body=body: self._do(body))
            elif token == ":":
                name = next(tokens)
                body, _ = self._compile(tokens, (";",))
                self.words[name] = lambda body=body: self._run(body)
            elif token == "variable":
                name = next(tokens)
                address = len(self.memory) + 1000
                self.memory[address] = 0
                self.words[name] = lambda a=address: self.push(a)
            elif token == '."':
                words = []
                while not (word := next(tokens)).endswith('"'):
                    words.append(word)
                text = " ".join([*words, word[:-1]])
                code.append(lambda text=text: self.output.append(text))
            else:
                code.append(self._word(token))
        if until:
            raise ForthError(f"missing {' or '.join(until)}")
        return code, None

    def _word(self, token):
        try:
            number = int(token)
        except ValueError:
            def call():
                try:
                    word = self.words[token]
                except KeyError:
                    raise ForthError(f"{token} ?") from None
                word()
            return call
        else:
            return lambda: self.push(number)

    def _run(self, code):
        for instruction in code:
            instruction()

    def _until(self, body):
        while True:
            self._run(body)
            if self.pop():
                break

    def _while(self, test, body):
        self._run(test)
        while self.pop():
            self._run(body)
            self._run(test)

    def _do(self, body):
        limit, start = self.pop(2)
        outer = self.words.get("i")
        for index in range(start, limit):
            self.words["i"] = lambda: self.push(index)
            self._run(body)
        if outer:
            self.words["i"] = outer

    def __call__(self, source):
        self.output.clear()
        code, _ = self._compile(iter(source.split()))
        self._run(code)
        return " ".join(self.output)


if __name__ == "__main__":
    f = Forth()
    assert f("2 3 + 4 * .") == "20"
    assert f(": square dup * ; 7 square .") == "49"
    assert f("1 2 3 rot . . .") == "1 3 2"
    assert f(": sign dup 0 < if drop -1 else 0 > if 1 else 0 then then ; -5 sign . 0 sign . 9 sign .") == "-1 0 1"
    assert f("5 0 do i . loop") == "0 1 2 3 4"
    assert f("3 0 do 2 0 do i . loop loop") == "0 1 0 1 0 1"
    assert f(": countdown begin dup . 1 - dup 0 = until drop ; 3 countdown") == "3 2 1"
    assert f(": gcd begin dup while swap over mod repeat drop ; 48 18 gcd .") == "6"
    assert f("variable x 42 x ! x @ 1 + x ! x @ .") == "43"
    assert f(': hi ." hello big world" ; hi') == "hello big world"
    assert f(": fact dup 1 > if dup 1 - fact * then ; 10 fact .") == "3628800"
    assert f.stack == []
    for bad, message in (("+", "stack underflow"), ("bogus", "bogus ?"), ("1 if 2", "missing else or then")):
        try:
            f(bad)
        except ForthError as e:
            assert str(e) == message
        else:
            raise AssertionError(bad)
        f.stack.clear()
    print(f("72 emit 105 emit cr"))
