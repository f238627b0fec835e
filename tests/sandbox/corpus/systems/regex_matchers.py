"""Two regular expression engines: Thompson NFA simulation and Brzozowski derivatives."""
import re
from functools import cache, reduce
from collections import namedtuple

Char = namedtuple("Char", "c")
Any_ = namedtuple("Any_", "")
Class = namedtuple("Class", "chars negated")
Cat = namedtuple("Cat", "left right")
Alt = namedtuple("Alt", "left right")
Star = namedtuple("Star", "inner")
Empty = namedtuple("Empty", "")
Never = namedtuple("Never", "")

def kind(node):
    return type(node).__name__

def parse(pattern):
    pos = 0

    def peek():
        return pattern[pos] if pos < len(pattern) else None

    def take():
        nonlocal pos
        pos += 1
        return pattern[pos - 1]

    def alternation():
        node = sequence()
        while peek() == "|":
            take()
            node = Alt(node, sequence())
        return node

    def sequence():
        parts = []
        while peek() not in (None, "|", ")"):
            parts.append(repetition())
        return reduce(lambda acc, p: Cat(p, acc), reversed(parts[:-1]), parts[-1]) if parts else Empty()

    def repetition():
        node = atom()
        while peek() in ("*", "+", "?"):
            op = take()
            node = Star(node) if op == "*" else Cat(node, Star(node)) if op == "+" else Alt(node, Empty())
        return node

    def atom():
        c = take()
        if c == "(":
            node = alternation()
            if peek() != ")":
                raise ValueError("unbalanced parenthesis")
            take()
            return node
        if c == "[":
            end = pattern.find("]", pos)
            if end < 0:
                raise ValueError("unterminated class")
            body = "".join(take() for _ in range(end - pos))
            take()
            ranges = re.findall("(.)-(.)", body)
            chars = {chr(x) for a, b in ranges for x in range(ord(a), ord(b) + 1)}
            chars |= set(re.sub("(.)-(.)", "", body).removeprefix("^"))
            return Class(frozenset(chars), body.startswith("^"))
        if c in "*+?":
            raise ValueError("nothing to repeat")
        return Any_() if c == "." else Char(take() if c == "\\" else c)

    tree = alternation()
    if pos < len(pattern):
        raise ValueError("unbalanced parenthesis")
    return tree

def accepts(node, ch):
    match node:
        case Char(c):
            return c == ch
        case Class(chars, negated):
            return (ch in chars) != negated
        case Any_():
            return True
    return False

class NFA:
    def __init__(self, tree):
        self.edges, self.eps = {}, {}
        self.count = 0
        self.start, self.final = self.build(tree)

    def link(self, a, b):
        self.eps.setdefault(a, []).append(b)

    def build(self, node):
        if kind(node) == "Cat":
            a, b = self.build(node.left)
            c, d = self.build(node.right)
            self.link(b, c)
            return a, d
        s, e = self.count + 1, self.count + 2
        self.count = e
        if kind(node) == "Alt":
            for branch in node:
                a, b = self.build(branch)
                self.link(s, a)
                self.link(b, e)
        elif kind(node) == "Star":
            a, b = self.build(node.inner)
            for pair in ((s, a), (b, a), (b, e), (s, e)):
                self.link(*pair)
        elif kind(node) == "Empty":
            self.link(s, e)
        else:
            self.edges[s] = node, e
        return s, e

    def closure(self, states):
        todo, seen = list(states), set(states)
        while todo:
            for nxt in self.eps.get(todo.pop(), ()):
                if nxt not in seen:
                    seen.add(nxt)
                    todo.append(nxt)
        return seen

    def __call__(self, text):
        current = self.closure({self.start})
        for ch in text:
            current = self.closure({e for s in current if s in self.edges
                                    for node, e in [self.edges[s]] if accepts(node, ch)})
        return self.final in current

def nullable(r):
    match r:
        case Star() | Empty():
            return True
        case Cat(a, b):
            return nullable(a) and nullable(b)
        case Alt(a, b):
            return nullable(a) or nullable(b)
    return False

def alt(a, b):
    return b if kind(a) == "Never" or a is b else a if kind(b) == "Never" else Alt(a, b)

def cat(a, b):
    if "Never" in (kind(a), kind(b)):
        return Never()
    return b if kind(a) == "Empty" else a if kind(b) == "Empty" else Cat(a, b)

def derive(r, ch):
    match r:
        case Cat(a, b):
            first = cat(derive(a, ch), b)
            return alt(first, derive(b, ch)) if nullable(a) else first
        case Alt(a, b):
            return alt(derive(a, ch), derive(b, ch))
        case Star(a):
            return cat(derive(a, ch), r)
    return Empty() if accepts(r, ch) else Never()

def by_derivatives(pattern):
    tree = parse(pattern)
    return lambda text: nullable(reduce(derive, text, tree))

@cache
def compiled(pattern):
    return NFA(parse(pattern)), by_derivatives(pattern)

CASES = {
    "a": (["a"], ["", "b", "aa"]), "": ([""], ["x"]), "ab|cd": (["ab", "cd"], ["abcd", "a"]),
    "a*b+c?": (["b", "aabbc", "bc"], ["a", "ac", "bcc"]), "(ab)*": (["", "abab"], ["aba"]),
    "[a-c_]+": (["abc_"], ["d", "abd"]), "[^0-9]*x": (["x", "abx"], ["1x"]), ".\\.": (["a."], ["ab"]),
    "(a|b)*abb": (["abb", "ababb"], ["ab", "abba"]), "(a*)*": (["", "aaaa"], ["b"]), "(x|)y": (["xy", "y"], ["x"]),
    "-?[0-9]+(\\.[0-9]+)?": (["-12", "3.14"], ["3.", "--1"]),
}
for pattern, (good, bad) in CASES.items():
    for engine in compiled(pattern):
        assert all(map(engine, good)), pattern
        assert not any(map(engine, bad)), pattern
for broken in ("(a", "a)", "*a", "[ab"):
    try:
        parse(broken)
    except ValueError as e:
        print(f"{broken:>4} {e}")
    else:
        raise AssertionError(broken)
assert compiled("a") is compiled("a")
