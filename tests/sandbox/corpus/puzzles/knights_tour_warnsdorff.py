from itertools import chain, pairwise

MOVES = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]

def square(name):
    return "abcdefgh".index(name[0]), int(name[1:]) - 1

def name(sq):
    return "abcdefgh"[sq[0]] + str(sq[1] + 1)

def targets(sq, free):
    return [t for dx, dy in MOVES if (t := (sq[0] + dx, sq[1] + dy)) in free]

def tour(n, start):
    free = {(x, y) for x in range(n) for y in range(n)}
    here = start
    path = [here]
    free.remove(here)
    while free:
        options = targets(here, free)
        if not options: return None
        here = min(options, key=lambda t: (len(targets(t, free)), -abs(2 * t[0] - n + 1) - abs(2 * t[1] - n + 1)))
        free -= {here}
        path += [here]
    return path

def by_search(width, height, home=(0, 0)):
    "a tour by plain backtracking, for small boards"
    free = {(x, y) for x in range(width) for y in range(height)}
    def go(path):
        here = path[-1]
        if len(path) == width * height: return path
        for t in sorted(targets(here, free), key=lambda t: len(targets(t, free))):
            free.discard(t)
            if found := go(path + [t]): return found
            free.add(t)
    free.discard(home)
    return go([home])

def distance(a, b, n=8):
    seen, edge, steps = {a}, {a}, 0
    board = {(x, y) for x in range(n) for y in range(n)}
    while b not in seen:
        edge = set(chain.from_iterable(targets(s, board - seen) for s in edge))
        seen |= edge
        steps += 1
        if not edge: raise LookupError(f"{b} can't be reached from {a}")
    return steps

def picture(path, n):
    number = {sq: i for i, sq in enumerate(path, 1)}
    w = len(str(n * n))
    return "\n".join(" ".join(f"{number[x, y]:{w}}" for x in range(n)) for y in reversed(range(n)))

def legal(path):
    return all({abs(a - c), abs(b - d)} == {1, 2} for (a, b), (c, d) in pairwise(path))

for corner in "a1", "h8", "d4":
    found = tour(8, square(corner))
    assert found and len(set(found)) == 64 and legal(found), corner
    assert name(found[0]) == corner
print(picture(tour(8, square("a1")), 8))

assert tour(3, (1, 1)) is None
assert legal(tour(5, (0, 0))) and tour(5, (0, 1)) is None
small = by_search(3, 4)
assert len(set(small)) == 12 and legal(small)
assert by_search(3, 3) is by_search(4, 3, home=(1, 1)) is None

assert distance((0, 0), (7, 7)) == 6 and distance((0, 0), (1, 1)) == 4 and distance((3, 3), (3, 3)) == 0
assert max(distance((0, 0), (x, y)) for x in range(8) for y in range(8)) == 6
try:
    distance((0, 0), (1, 1), n=3)
except LookupError as e:
    print(e)
