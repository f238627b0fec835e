"""Random programs for tests: statements of most kinds, that always end and say what they do.

Expressions are drawn by the kind of what they give, so that programs get far; what still goes
wrong in them is caught and printed. Numbers, texts and lists are cut where they are kept, so that
none grows without end.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

PRELUDE = """\
i, j, k = 1, 2, 3
s, t = "ab", "Ünï"
c, e = [3, 1, 2], []
d = {"x": 1, "y": 2}


class Base:
    kind = "base"

    def __init__(self, n=0):
        self.n = n
        self._hidden = n + 1
        self.__own = n + 2

    def __repr__(self):
        return f"{type(self).__name__}({self.n})"

    def __eq__(self, other):
        return isinstance(other, Base) and self.n == other.n

    def __lt__(self, other):
        return self.n < other.n

    def __add__(self, other):
        return type(self)((self.n + (other.n if isinstance(other, Base) else other)) % 1009)

    def __iadd__(self, other):
        self.n = (self.n + other) % 1009
        return self

    def __getitem__(self, key):
        return self.n if key == 0 else (self._hidden, self.__own)[key - 1]

    def __setitem__(self, key, value):
        self._hidden = value

    def __len__(self):
        return abs(self.n) % 5

    def __iter__(self):
        yield from range(len(self))

    def __contains__(self, x):
        return x == self.n

    def __bool__(self):
        return self.n % 3 != 0

    def __enter__(self):
        print("enter", self.n)
        return self

    def __exit__(self, kind, error, trace):
        print("exit", kind.__name__ if kind else None)
        return kind is KeyError

    def __call__(self, *args, **kwargs):
        return (self.n + sum(args) + len(kwargs)) % 1009

    def method(self, x, y=1, *rest, z=2):
        self.n = (self.n + x * y + z) % 1009
        return self.n

    @property
    def double(self):
        return self.n * 2

    @double.setter
    def double(self, value):
        self.n = value // 2

    @classmethod
    def make(cls, n):
        return cls(n)

    @staticmethod
    def plain(n):
        return n + 1


o, p = Base(4), Base(5)
"""


class Writer:
    """Writes one program, line by line; each byte is a choice, and zero is the simplest."""

    def __init__(self, choices: bytes) -> None:
        self._choices = iter(choices)
        self._lines: list[str] = []
        self._indent = 0
        self._made = 0
        self._loops = 0
        self._functions: list[str] = []
        self._classes = ["Base"]

    # --- small things ----------------------------------------------------------------------

    def up_to(self, most: int) -> int:
        return next(self._choices, 0) % (most + 1)

    def one_of(self, *things: str) -> str:
        return things[self.up_to(len(things) - 1)]

    def line(self, text: str) -> None:
        self._lines.append("    " * self._indent + text)

    def fresh(self, prefix: str) -> str:
        self._made += 1
        return f"{prefix}{self._made}"

    def block(self, depth: int, *, first: str = "") -> None:
        self._indent += 1
        if first:
            self.line(first)
        for _ in range(1 + self.up_to(1)):
            self.statement(depth - 1)
        self._indent -= 1

    # --- expressions -------------------------------------------------------------------------

    def number(self, depth: int = 2) -> str:
        if depth <= 0:
            return self.one_of("i", "j", "k", "0", "1", "-2", "7", "o.n", "p._hidden", "True")
        n, deeper = self.number, depth - 1
        forms: list[Callable[[], str]] = [
            lambda: n(0),
            lambda: (
                f"({n(deeper)} {self.one_of('+', '-', '*', '//', '%', '&', '|', '^')} {n(deeper)})"
            ),
            lambda: f"len({self.one_of('c', 's', 'd', 'o', self.items(deeper))})",
            lambda: f"c[{n(0)}]",
            lambda: f"d[{self.text(0)}]",
            lambda: f"d.get({self.text(0)}, {n(deeper)})",
            lambda: f"({n(deeper)} if {self.truth(deeper)} else {n(deeper)})",
            lambda: f"sum({self.items(deeper)})",
            lambda: f"sum(q * {n(0)} for q in {self.items(deeper)} if {self.truth(0)})",
            lambda: f"max({n(deeper)}, {n(deeper)})",
            lambda: f"min({self.items(deeper)}, default={n(0)})",
            lambda: f"(w := {n(deeper)})",
            lambda: f"(lambda x, y={n(0)}, *r: x - y + len(r))({n(deeper)}, *{self.items(0)})",
            lambda: f"o.method({n(0)}, {self.one_of('y=', '', 'z=')}{n(deeper)})",
            lambda: f"{self.one_of('o', 'p')}({n(0)}, *{self.items(0)}, **d)",
            lambda: f"{self.one_of('o', 'p')}[{self.one_of('0', '1', '2')}]",
            lambda: (
                f"{self.one_of('o.double', 'o.kind.__len__()', 'getattr(p, ' + repr('n') + ')')}"
            ),
            lambda: f"next(iter({self.items(deeper)}))",
            lambda: f"int({self.text(deeper)})",
            lambda: f"{self.one_of(*self._classes)}.plain({n(deeper)})",
        ]
        if self._functions:
            forms.append(lambda: f"{self.one_of(*self._functions)}({n(0)})")
        return forms[self.up_to(len(forms) - 1)]()

    def text(self, depth: int = 2) -> str:
        if depth <= 0:
            return self.one_of("s", "t", "'x'", "'y'", "'12'", "''", "'%'")
        deeper = depth - 1
        forms: list[Callable[[], str]] = [
            lambda: self.text(0),
            lambda: f"({self.text(deeper)} + {self.text(deeper)})",
            lambda: f"f'{{{self.number(0)}}}-{{{self.number(0)}:>4}}|{{s!r:.3}}|{{c}}'",
            lambda: f"'%s:%03d' % ({self.text(0)}, {self.number(0)})",
            lambda: (
                f"{self.text(0)}.{self.one_of('upper()', 'strip()', 'title()', 'replace(s, t)')}"
            ),
            lambda: f"{self.text(deeper)}[{self.number(0)}:{self.number(0)}]",
            lambda: f"'-'.join(map(str, {self.items(deeper)}))",
            lambda: f"{self.one_of('str', 'repr')}({self.anything(deeper)})",
            lambda: f"type({self.anything(0)}).__name__",
            lambda: f"format({self.number(0)}, '+d')",
            lambda: f"({self.text(0)} or {self.text(0)})",
        ]
        return forms[self.up_to(len(forms) - 1)]()

    def items(self, depth: int = 2) -> str:
        if depth <= 0:
            return self.one_of("c", "e", "[]", "[1, 2]", "(4, 5)", "range(3)", "o")
        n, deeper = self.number, depth - 1
        forms: list[Callable[[], str]] = [
            lambda: self.items(0),
            lambda: f"[{n(deeper)}, *{self.items(deeper)}]",
            lambda: f"(c + {self.one_of('e', 'c[1:]', '[9]')})",
            lambda: f"sorted({self.items(deeper)}, key=lambda x: -x, reverse={self.truth(0)})",
            lambda: (
                f"[q + {n(0)} for q in {self.items(deeper)} if q {self.one_of('<', '!=')} {n(0)}]"
            ),
            lambda: f"[x * y for x in {self.items(0)} for y in {self.items(0)} if x]",
            lambda: f"list(map(lambda v: v ^ {n(0)}, {self.items(deeper)}))",
            lambda: f"c[{n(0)}:{n(0)}:{self.one_of('1', '2', '-1', '')}]",
            lambda: f"[len(key) + value for key, value in {self.table(deeper)}.items()]",
            lambda: f"[a + b for a, b in zip({self.items(0)}, {self.items(0)})]",
            lambda: f"sorted({{x % 3 for x in {self.items(deeper)}}})",
            lambda: f"list(enumerate({self.items(0)}))[0]",
        ]
        return forms[self.up_to(len(forms) - 1)]()

    def table(self, depth: int = 2) -> str:
        if depth <= 0:
            return self.one_of("d", "{}", "{'x': 3}")
        deeper = depth - 1
        forms: list[Callable[[], str]] = [
            lambda: self.table(0),
            lambda: f"{{**d, {self.text(0)}: {self.number(deeper)}}}",
            lambda: f"{{str(q): q * 2 for q in {self.items(deeper)}}}",
            lambda: f"({self.table(0)} | {self.table(0)})",
            lambda: f"dict(z={self.number(deeper)}, **{{}})",
        ]
        return forms[self.up_to(len(forms) - 1)]()

    def truth(self, depth: int = 2) -> str:
        if depth <= 0:
            return self.one_of("True", "False", "i < j", "not c", "o")
        n, deeper = self.number, depth - 1
        forms: list[Callable[[], str]] = [
            lambda: self.truth(0),
            lambda: f"{n(deeper)} {self.one_of('<', '==', '>=', '!=')} {n(deeper)}",
            lambda: f"{n(0)} < {n(deeper)} <= {n(0)}",
            lambda: f"{n(deeper)} {self.one_of('in', 'not in')} {self.items(deeper)}",
            lambda: f"({self.truth(deeper)} {self.one_of('and', 'or')} not {self.truth(0)})",
            lambda: f"isinstance({self.anything(0)}, {self.one_of('int', 'Base', '(list, dict)')})",
            lambda: f"o {self.one_of('==', '<', 'is', '!=')} {self.one_of('o', 'p')}",
            lambda: f"hasattr(o, {self.one_of(repr('n'), repr('nope'), repr('_hidden'))})",
            lambda: f"{self.one_of('any', 'all')}(q > 1 for q in {self.items(deeper)})",
        ]
        return forms[self.up_to(len(forms) - 1)]()

    def anything(self, depth: int = 2) -> str:
        kinds = [self.number, self.text, self.items, self.table, self.truth]
        if self.up_to(7) == 0:
            return self.one_of("o", "p", "None", "o + p", "p + 1", "Base.make(3)", "...", "2.5")
        return kinds[self.up_to(len(kinds) - 1)](depth)

    # --- statements ----------------------------------------------------------------------------

    def statement(self, depth: int) -> None:
        simple = [self.assignment, self.in_place, self.printing, self.unpacking, self.deletion]
        compound = [
            self.condition, self.loop, self.function, self.generator, self.klass, self.handling,
            self.managing, self.matching, self.closure, self.raising, self.decorated,
        ]  # fmt: skip
        chosen = simple if depth <= 0 else simple + compound
        chosen[self.up_to(len(chosen) - 1)](depth)

    def assignment(self, depth: int) -> None:
        target = self.up_to(9)
        number, text = self.number(depth + 1), self.text(depth + 1)
        items = self.items(depth + 1)
        self.line(
            [
                f"{self.one_of('i', 'j', 'k')} = ({number}) % 1009",
                f"{self.one_of('s', 't')} = ({text})[:12]",
                f"{self.one_of('c', 'e')} = list({items})[:8]",
                f"c[{self.number(0)}] = ({number}) % 1009",
                f"d[({text})[:5]] = ({number}) % 1009",
                f"c[{self.number(0)}:{self.number(0)}] = list({items})[:3]",
                f"o.{self.one_of('n', '_hidden', 'double', 'extra')} = ({number}) % 1009",
                f"i = j = ({number}) % 1009",
                f"k: int = ({number}) % 1009",
                f"setattr(p, {self.one_of(repr('n'), repr('more'))}, ({number}) % 1009)",
            ][target]
        )

    def in_place(self, _depth: int) -> None:
        operator = self.one_of("+=", "-=", "*=", "//=", "%=", "|=", "^=", "&=")
        self.line(
            self.one_of(
                f"i {operator} {self.number(1)}",
                f"c[{self.number(0)}] {operator} {self.number(0)}",
                f"d[{self.text(0)}] {operator} {self.number(0)}",
                f"o.{self.one_of('n', '_hidden', 'double')} {operator} {self.number(0)}",
                f"o[{self.one_of('0', '1')}] {operator} {self.number(0)}",
                f"c {self.one_of('+=', '*=')} {self.one_of('[1]', '(2,)', '1', '2', 's')}",
                f"s += {self.text(0)}",
                f"d |= {self.table(1)}",
                f"o += {self.number(0)}",
                f"c[0:1] += {self.items(0)}",
            )
        )
        self.line("i, c, s, o.n, o._hidden = i % 1009, c[:8], s[:12], o.n % 1009, o._hidden % 1009")

    def printing(self, depth: int) -> None:
        things = ", ".join(self.anything(depth + 1) for _ in range(1 + self.up_to(2)))
        self.line(f"print({things}{self.one_of('', ', sep=s', ', end=t')})")

    def unpacking(self, _depth: int) -> None:
        self.line(
            self.one_of(
                "i, j = j, i",
                f"i, *e = {self.items(1)}",
                f"[*e, k] = {self.items(1)}",
                f"(i, (j, *e)), k = (1, {self.items(1)}), 2",
                f"o.n, c[0] = {self.items(1)}",
                f"i, j, k = {self.items(1)}",
                "s, t = t, s",
            )
        )
        self.line("i, j, k = (x if isinstance(x, int) else 0 for x in (i, j, k))")

    def deletion(self, _depth: int) -> None:
        self.line(
            self.one_of(
                f"del c[{self.number(0)}]",
                f"del d[{self.text(0)}]",
                "del c[1:2]",
                "del o.extra",
                "del p.n; p.n = 5",
                "del i; i = 2",
            )
        )

    def condition(self, depth: int) -> None:
        self.line(f"if {self.truth(depth)}:")
        self.block(depth)
        if self.up_to(1):
            self.line(f"elif {self.truth(1)}:")
            self.block(depth)
        if self.up_to(1):
            self.line("else:")
            self.block(depth)

    def loop(self, depth: int) -> None:
        if self._loops >= 2:
            self.printing(0)
            return
        self._loops += 1
        index = self.fresh("n")
        if self.up_to(3) == 0:
            self.line(f"{index} = 0")
            self.line(f"while {index} < 3 and {self.truth(1)}:")
            self.block(depth, first=f"{index} += 1")
        else:
            source = self.one_of(f"range({self.one_of('2', '3')})", f"list({self.items(1)})[:3]")
            target = self.one_of(index, f"{index}, j", "o.n", "c[0]")
            self.line(f"for {target} in {f'enumerate({source})' if ',' in target else source}:")
            self.block(depth)
        self._indent += 1
        self.line(f"if {self.truth(1)}: {self.one_of('break', 'continue', 'pass')}")
        self._indent -= 1
        if self.up_to(1):
            self.line("else:")
            self.block(0)
        self._loops -= 1

    def function(self, depth: int) -> None:
        name = self.fresh("f")
        signature = self.one_of(
            "x", f"x, y={self.number(0)}", "x, *rest", "x, /, *, key=1", "x, *rest, z=c, **more"
        )
        self.line(f"def {name}({signature}){self.one_of('', ' -> int')}:")
        scope = self.one_of(
            "global i, j, k, s, t, c, e, d, o, p",
            "i, j, k, s, t, c, e, d = 1, 2, 3, 'l', 'm', [1], [], {'x': x}",
        )
        self.block(depth, first=scope)
        self._indent += 1
        self.line(f"return ({self.one_of('x', self.number(1))}) % 1009")
        self._indent -= 1
        # Known only from here on, so that none calls itself.
        self._functions.append(name)
        self.line(f"print({name}({self.number(0)}))")

    def generator(self, _depth: int) -> None:
        name = self.fresh("g")
        self.line(f"def {name}(x):")
        self._indent += 1
        self.line("try:")
        self.line(f"    got = yield x {self.one_of('+', '-')} {self.one_of('1', 'i', 'len(c)')}")
        self.line("    print('got', got)")
        self.line(f"    yield from {self.items(1)}")
        self.line("finally:")
        self.line(f"    print('closing', {self.number(0)})")
        self.line(f"return {self.number(0)}")
        self._indent -= 1
        self.line(
            self.one_of(
                f"print(list({name}({self.number(0)})))",
                f"a = {name}(1); print(next(a)); print(a.send({self.number(0)})); a.close()",
                f"a = {name}(1); next(a); a.throw(ValueError('thrown'))",
                f"print([*zip({name}(1), {name}(2))])",
            )
        )

    def klass(self, _depth: int) -> None:
        name, base = self.fresh("K"), self.one_of(*self._classes)
        self.line(f"class {name}({base}):")
        self._indent += 1
        self.line(f"kind = {self.text(1)}")
        self.line(f"__private = {self.number(0)}")
        self.line(f"def __init__(self, n={self.number(0)}):")
        self.line(f"    super().__init__({self.one_of('n', 'n + 1', 'self.__private')})")
        self.line(f"    self.__own = {self.number(1)}")
        self.line(
            self.one_of(
                "def method(self, x, *a, **k): return super().method(x, *a, **k) + self.__own",
                f"def __getattr__(self, name): return (name, {self.number(0)})",
                f"def __hash__(self): return {self.number(0)}",
                "def __str__(self): return 'str:' + super().__repr__()",
                f"def __init_subclass__(cls, extra={self.number(0)}): cls.extra = extra",
                "@property\ndef double(self): return self.__own".replace(
                    "\n", "\n" + "    " * self._indent
                ),
                "def __radd__(self, other): return (other, self.__own)",
                f"def __format__(self, how): return how + {self.text(0)}",
            )
        )
        self._indent -= 1
        self._classes.append(name)
        self.line(
            self.one_of(
                f"o = {name}({self.number(0)})",
                f"print({name}(), {name}.kind, {name}.make(2).n, 1 + {name}(1))",
                f"print(f'{{{name}(2):x}}', {name}(3).nothing)",
                f"print(issubclass({name}, Base), [k.__name__ for k in (type(o), {name})])",
            )
        )

    def handling(self, depth: int) -> None:
        self.line("try:")
        self.block(depth)
        kinds = (
            "ValueError",
            "(KeyError, IndexError)",
            "ArithmeticError",
            "TypeError",
            "Exception",
        )
        if self.up_to(4):
            self.line(f"except {self.one_of(*kinds)} as error:")
            self.block(depth, first="print('caught', type(error).__name__, error.args)")
            if self.up_to(2) == 0:
                self._indent += 1
                self.line(self.one_of("raise", "raise KeyError('again') from error"))
                self._indent -= 1
            if self.up_to(1):
                self.line("else:")
                self.block(0)
        self.line("finally:")
        self.block(0, first="print('finally')")

    def managing(self, depth: int) -> None:
        self.line(f"with {self.one_of('o', 'p as q', 'o as c[0], p', '(o as q, p)')}:")
        self.block(depth)
        self.line("c[:] = [x for x in c if isinstance(x, int)]")

    def matching(self, depth: int) -> None:
        self.line(f"match {self.anything(1)}:")
        self._indent += 1
        patterns = (
            "0 | 1", "int(q)", "str() as q", "[]", "[q, *e]", "(1, q)", "{'x': q, **rest}",
            "Base(n=q)", f"q if {self.truth(1)}", "None", "True", "'x'", "-2",
        )  # fmt: skip
        for _ in range(1 + self.up_to(2)):
            pattern = self.one_of(*patterns)
            bare = pattern.isidentifier() or " if " in pattern
            self.line(f"case {pattern}{'' if bare else self.one_of('', ' if i')}:")
            self.block(0, first=f"print({pattern!r})")
        self.line("case _:")
        self.block(depth)
        self._indent -= 1

    def closure(self, _depth: int) -> None:
        name = self.fresh("make")
        self.line(f"def {name}(start, *, step={self.number(0)}):")
        self._indent += 1
        self.line("count = start")
        self.line("def inner(by=1, *more):")
        self.line("    nonlocal count")
        self.line(f"    count {self.one_of('+=', '-=', '*=')} by * step")
        self.line("    count %= 1009")
        self.line("    return count, [lambda: count + q for q in more]")
        self.line("return inner")
        self._indent -= 1
        self.line(
            f"a = {name}({self.number(0)}); a(); print(a(2)[0], [f() for f in a(1, 5, 6)[1]])"
        )

    def raising(self, _depth: int) -> None:
        kind = self.one_of("ValueError", "KeyError", "RuntimeError", "StopIteration", "LookupError")
        self.line(
            self.one_of(
                f"if {self.truth(1)}: raise {kind}({self.number(0)})",
                f"raise {kind}",
                f"assert {self.truth(1)}, {self.text(0)}",
                f"assert {self.number(1)} == {self.number(1)}",
            )
        )

    def decorated(self, _depth: int) -> None:
        name = self.fresh("h")
        self.line(f"def {name}(function):")
        self.line("    def wrapper(*args, **kwargs):")
        self.line("        print('calling', function.__name__, args, kwargs)")
        self.line("        return function(*args, **kwargs)")
        self.line("    return wrapper")
        self.line(f"@{name}")
        self.line(f"def {name}_it(x, y={self.number(1)}): return x - y")
        self.line(f"print({name}_it({self.number(0)}), {name}_it(1, y=2))")

    def program(self) -> str:
        for _ in range(2 + self.up_to(3)):
            self.line("try:")
            self.block(2)
            self.line("except AssertionError:")
            self.line("    print('AssertionError')")
            self.line("except Exception as error:")
            self.line("    print(type(error).__name__, error)")
        self.line("print(i, j, k, s, t, c, e, d, o, p)")
        if self.up_to(2) == 0:
            self.raising(0)
        return PRELUDE + "\n".join(self._lines) + "\n"


programs = st.binary(min_size=20, max_size=400).map(lambda choices: Writer(choices).program())
