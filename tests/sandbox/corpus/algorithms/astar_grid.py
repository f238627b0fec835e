"""A* on a character map: '#' is a wall, digits cost their value."""
from heapq import heappush, heappop
from itertools import count
from typing import Iterator, NamedTuple, Optional


class Point(NamedTuple):
    row: int
    col: int

    def __add__(self, other):
        return Point(self.row + other[0], self.col + other[1])

    def manhattan(self, other: "Point") -> int:
        return abs(self.row - other.row) + abs(self.col - other.col)


class Terrain:
    STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))

    def __init__(self, *rows: str) -> None:
        if len({len(row) for row in rows}) != 1:
            raise ValueError("ragged map")
        self.rows = rows

    def __getitem__(self, point: Point) -> str:
        row, col = point
        return self.rows[row][col]

    def __contains__(self, point: Point) -> bool:
        return 0 <= point.row < len(self.rows) and 0 <= point.col < len(self.rows[0])

    def find(self, mark: str) -> Point:
        for r, row in enumerate(self.rows):
            if (c := row.find(mark)) >= 0:
                return Point(r, c)
        raise LookupError(mark)

    def cost(self, point: Point) -> int:
        mark = self[point]
        return int(mark) if mark.isdigit() else 1

    def neighbours(self, point: Point) -> Iterator[Point]:
        for step in self.STEPS:
            there = point + step
            if there in self and self[there] != "#":
                yield there


def astar(terrain: Terrain, start: Point, goal: Point) -> Optional[list[Point]]:
    tie = count()
    frontier = [(start.manhattan(goal), next(tie), start)]
    came: dict[Point, Optional[Point]] = {start: None}
    spent = {start: 0}
    while frontier:
        *_, here = heappop(frontier)
        if here == goal:
            path = []
            step: Optional[Point] = here
            while step is not None:
                path.append(step)
                step = came[step]
            path.reverse()
            return path
        for there in terrain.neighbours(here):
            price = spent[here] + terrain.cost(there)
            if there not in spent or price < spent[there]:
                spent[there] = price
                came[there] = here
                heappush(frontier, (price + there.manhattan(goal), next(tie), there))
    return None


def draw(terrain: Terrain, path: list[Point]) -> str:
    grid = [list(row) for row in terrain.rows]
    for p in path[1:-1]:
        grid[p.row][p.col] = "*"
    return "\n".join("".join(row) for row in grid)


if __name__ == "__main__":
    field = Terrain(
        "S.#.....",
        "..#.###.",
        "..9...#.",
        "..###.#.",
        "......#E",
    )
    start, goal = field.find("S"), field.find("E")
    route = astar(field, start, goal)
    assert route is not None
    picture = draw(field, route)
    print(picture)
    assert route[0] == start and route[-1] == goal
    assert all(a.manhattan(b) == 1 for a, b in zip(route, route[1:]))
    total = sum(field.cost(p) for p in route[1:])
    assert total == 23, total
    assert picture.count("*") == len(route) - 2
    assert astar(Terrain("S#E"), Point(0, 0), Point(0, 2)) is None
    try:
        Terrain("ab", "c")
    except ValueError:
        pass
    else:
        raise AssertionError("ragged maps must fail")
