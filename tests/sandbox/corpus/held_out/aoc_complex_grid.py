# a robot vacuum in a room, complex numbers as coordinates (advent-of-code habits)
import sys
from collections import defaultdict

INPUT = """
.....##...
.##....#..
....#.....
.#....^.#.
..........
...#....#.
......#...
""".strip()


def parse(data):
    return {x + y * 1j: c for y, row in enumerate(data.splitlines()) for x, c in enumerate(row)}


def walk(G, start, block=None):
    pos, d, seen = start, -1j, set()
    while pos in G and (pos, d) not in seen:
        seen.add((pos, d))
        nxt = pos + d
        if G.get(nxt) == "#" or nxt == block:
            d *= 1j
        else:
            pos = nxt
    return {p for p, _ in seen}, (pos, d) in seen


def part1(data):
    G = parse(data)
    start = [p for p in G if G[p] == "^"][0]
    return len(walk(G, start)[0])


def part2(data):
    G = parse(data)
    start, = (p for p, c in G.items() if c == "^")
    path = walk(G, start)[0]
    return sum(walk(G, start, block=o)[1] for o in path - {start})


def draw(points, fill="X"):
    xs = [int(p.real) for p in points]
    ys = [int(p.imag) for p in points]
    for y in range(min(ys), max(ys) + 1):
        for x in range(min(xs), max(xs) + 1):
            print(fill if complex(x, y) in points else ".", end="")
        print()


def main():
    p1, p2 = part1(INPUT), part2(INPUT)
    print(f"Part 1: {p1}\nPart 2: {p2}")
    G = parse(INPUT)
    start = next(p for p in G if G[p] == "^")
    path, loops = walk(G, start)
    draw(path)
    assert p1 == len(path) and not loops
    columns = defaultdict(int)
    for p in path:
        columns[p.real] += 1
    assert sum(columns.values()) == p1
    # every looping obstacle really loops
    assert p2 == len([o for o in path - {start} if walk(G, start, o)[1]])
    return 0


if __name__ == "__main__":
    sys.exit(main())
