# The towers of Hanoi: recursion, a stack, a rule, and four pegs.
from functools import cache


def hanoi(n, a="A", b="B", c="C"):
    if n:
        yield from hanoi(n - 1, a, c, b)
        yield n, a, c
        yield from hanoi(n - 1, b, a, c)


def with_stack(n):
    moves = []
    stack = [(n, "A", "B", "C", False)]
    while len(stack) > 0:
        n, a, b, c, ready = stack.pop()
        if n == 0:
            continue
        if ready:
            moves.append((n, a, c))
        else:
            stack.append((n - 1, b, a, c, False))
            stack.append((n, a, b, c, True))
            stack.append((n - 1, a, c, b, False))
    return moves


def by_rule(n):
    """The smallest disk goes round; every other move is the only other one."""
    pegs = {"A": list(range(n, 0, -1)), "B": [], "C": []}
    ring = "ACB" if n % 2 else "ABC"
    small = 0
    while len(pegs["C"]) < n:
        source, target = ring[small], ring[(small + 1) % 3]
        small = (small + 1) % 3
        pegs[target].append(pegs[source].pop())
        yield 1, source, target
        x, y = (peg for peg in "ABC" if peg != target)
        if not pegs[x] and not pegs[y]:
            break
        if not pegs[x] or (pegs[y] and pegs[y][-1] < pegs[x][-1]):
            x, y = y, x
        disk = pegs[x].pop()
        pegs[y].append(disk)
        yield disk, x, y


@cache
def frame(n):
    """The fewest moves with four pegs, and how many disks to set aside."""
    if n < 2:
        return n, 0
    return min((2 * frame(k)[0] + 2 ** (n - k) - 1, k) for k in range(1, n))


def four_pegs(n, a, b, c, d):
    if n == 0:
        return
    k = frame(n)[1]
    yield from four_pegs(k, a, c, d, b)
    for disk, x, y in hanoi(n - k, a, c, d):
        yield disk + k, x, y
    yield from four_pegs(k, b, a, c, d)


class Pegs:
    class IllegalMove(Exception):
        def __str__(self):
            return "disk %d can't go from %s to %s" % self.args

    def __init__(self, n, names="ABC"):
        self.__dict__.update({name: [] for name in names})
        self.A.extend(range(n, 0, -1))
        self.names = names

    def move(self, disk, source, target):
        a, b = getattr(self, source), getattr(self, target)
        if not a or a[-1] != disk or (b and b[-1] < disk):
            raise self.IllegalMove(disk, source, target)
        b.append(a.pop())

    def run(self, moves):
        for number, move in enumerate(moves, 1):
            self.move(*move)
        return number

    def __str__(self):
        tall = max(len(getattr(self, p)) for p in self.names)
        rows = [" ".join(self.names)]
        for level in range(tall):
            rows.append(" ".join(str((getattr(self, p)[level:level + 1] or ["."])[0]) for p in self.names))
        return "\n".join(reversed(rows))


for n in range(1, 9):
    expected = list(hanoi(n))
    assert len(expected) == 2 ** n - 1
    assert with_stack(n) == expected == list(by_rule(n))
    pegs = Pegs(n)
    assert pegs.run(expected) == len(expected)
    assert pegs.C == [*range(n, 0, -1)] and not pegs.A and pegs.B == []
    fours = Pegs(n, "ABCD")
    assert fours.run(four_pegs(n, *"ABCD")) == frame(n)[0] and len(fours.D) == n

assert [frame(n)[0] for n in range(1, 11)] == [1, 3, 5, 9, 13, 17, 25, 33, 41, 49]
assert [disk for disk, _, _ in hanoi(4)] == [(m & -m).bit_length() for m in range(1, 16)]
middle = Pegs(3)
middle.run(list(hanoi(3))[:4])
print(middle)
assert str(middle) == ". 1 .\n. 2 3\nA B C"
try:
    Pegs(2).run([(1, "A", "B"), (2, "A", "B")])
except Pegs.IllegalMove as e:
    assert str(e) == "disk 2 can't go from A to B"
else:
    assert False
