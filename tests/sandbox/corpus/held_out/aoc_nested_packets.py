#!/usr/bin/env python3
"""Expressions packed into bits: 4 bits of opcode, then a varint or a count of children."""
import math
import operator
from typing import NamedTuple

OPS = [None, sum, math.prod, min, max,
       lambda v: operator.sub(*v), lambda v: operator.gt(*v), lambda v: operator.eq(*v)]
NAMES = "num sum mul min max sub gt eq".split()


class Packet(NamedTuple):
    kind: int
    value: int
    children: list = []

    def depth(self):
        return 1 + max((c.depth() for c in self.children), default=0)


def encode(tree):
    if isinstance(tree, int):
        groups = []
        while True:
            groups.append(tree & 7)
            tree >>= 3
            if not tree:
                break
        groups.reverse()
        return "0000" + "".join(f"{int(i < len(groups) - 1)}{g:03b}" for i, g in enumerate(groups))
    name, *kids = tree
    return format(NAMES.index(name), "04b") + format(len(kids), "06b") + "".join(map(encode, kids))


class Bits:
    def __init__(self, hexa):
        self.bits = bin(int("1" + hexa, 16))[3:]
        self.pos = 0

    def take(self, n):
        chunk = self.bits[self.pos:self.pos + n]
        self.pos += n
        return int(chunk, 2)

    def packet(self):
        kind = self.take(4)
        if kind == 0:
            value = 0
            while True:
                more, group = self.take(1), self.take(3)
                value = value << 3 | group
                if not more:
                    return Packet(kind, value)
        children = [self.packet() for _ in range(self.take(6))]
        return Packet(kind, int(OPS[kind]([c.value for c in children])), children)


def to_hex(tree):
    bits = encode(tree)
    bits += "0" * (-len(bits) % 4)
    return f"{int('1' + bits, 2):X}"[1:]


CASES = [
    (42, 42),
    (("sum", 1, 2, 3), 6),
    (("mul", 6, 9), 54),
    (("max", 7, ("min", 800, 9), 5), 9),
    (("gt", 5, 15), 0),
    (("eq", ("sum", 1, 3), ("mul", 2, 2)), 1),
    (("sub", 10, ("sub", 7, 20)), 23),
]

for tree, expected in CASES:
    text = to_hex(tree)
    got = Bits(text).packet()
    print(f"{text:>20} -> {got.value}")
    assert got.value == expected, f"{text}: {got} != {expected}"

p = Bits(to_hex(("max", 7, ("min", 800, 9), 5))).packet()
print(p)
assert [c.value for c in p.children] == [7, 9, 5]
assert p.depth() == 3
assert p._replace(value=0)[1] == 0
