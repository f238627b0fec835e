"""Disjoint sets, and Kruskal's minimum spanning tree built on them."""


class DisjointSet:
    __slots__ = ("_parent", "_size", "_count")

    def __init__(self, items=()):
        self._parent = {}
        self._size = {}
        self._count = 0
        for item in items:
            self.add(item)

    def add(self, item):
        if item not in self._parent:
            self._parent[item] = item
            self._size[item] = 1
            self._count += 1

    def find(self, item):
        root = item
        while self._parent[root] != root:
            root = self._parent[root]
        while self._parent[item] != root:
            self._parent[item], item = root, self._parent[item]
        return root

    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self._size[a] < self._size[b]:
            a, b = b, a
        self._parent[b] = a
        self._size[a] += self._size.pop(b)
        self._count -= 1
        return True

    def connected(self, a, b):
        return self.find(a) == self.find(b)

    def groups(self):
        result = {}
        for item in self._parent:
            result.setdefault(self.find(item), []).append(item)
        return sorted(result.values(), key=lambda g: (-len(g), g))

    @property
    def count(self):
        return self._count

    def __len__(self):
        return len(self._parent)

    def __repr__(self):
        return "%s(%d items in %d groups)" % (type(self).__name__, len(self), self.count)


def kruskal(edges):
    """Return the edges of a minimum spanning forest, cheapest first."""
    forest = DisjointSet(v for _, a, b in edges for v in (a, b))
    return [(w, a, b) for w, a, b in sorted(edges) if forest.union(a, b)]


sets = DisjointSet(range(10))
for pair in [(0, 1), (2, 3), (1, 3), (5, 6), (6, 5)]:
    sets.union(*pair)

assert sets.connected(0, 2)
assert not sets.connected(0, 5)
assert sets.groups()[:2] == [[0, 1, 2, 3], [5, 6]]
assert sets.count == 6
assert repr(sets) == "DisjointSet(10 items in 6 groups)"

edges = [
    (4, "A", "B"), (8, "A", "H"), (8, "B", "C"), (11, "B", "H"), (7, "C", "D"),
    (2, "C", "I"), (4, "C", "F"), (9, "D", "E"), (14, "D", "F"), (10, "E", "F"),
    (2, "F", "G"), (1, "G", "H"), (6, "G", "I"), (7, "H", "I"),
]
tree = kruskal(edges)
assert len(tree) == 8
assert sum(w for w, *_ in tree) == 37
assert tree[0] == (1, "G", "H")
try:
    sets.extra = 1
except AttributeError:
    print("slots hold:", sets)
else:
    assert False
