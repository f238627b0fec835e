from collections import deque
from typing import List


class Dinic:
    """Maximum flow.

    Every edge is stored as [target, residual capacity, index of its twin].
    """

    INF = 10**18

    def __init__(self, n: int):
        self.n = n
        self.adj: List[List[list]] = [[] for _ in range(n)]
        self.level = [-1] * n
        self.it = [0] * n

    def add_edge(self, u: int, v: int, cap: int, rev_cap: int = 0) -> None:
        self.adj[u].append([v, cap, len(self.adj[v])])
        self.adj[v].append([u, rev_cap, len(self.adj[u]) - 1])

    def _bfs(self, s, t):
        self.level = [-1] * self.n
        self.level[s] = 0
        q = deque([s])
        while q:
            u = q.popleft()
            for v, cap, _ in self.adj[u]:
                if cap > 0 and self.level[v] < 0:
                    self.level[v] = self.level[u] + 1
                    q.append(v)
        return self.level[t] >= 0

    def _dfs(self, u, t, f):
        if u == t:
            return f
        while self.it[u] < len(self.adj[u]):
            edge = self.adj[u][self.it[u]]
            v, cap, rev = edge
            if cap > 0 and self.level[v] == self.level[u] + 1:
                d = self._dfs(v, t, min(f, cap))
                if d > 0:
                    edge[1] -= d
                    self.adj[v][rev][1] += d
                    return d
            self.it[u] += 1
        return 0

    def max_flow(self, s: int, t: int) -> int:
        flow = 0
        while self._bfs(s, t):
            self.it = [0] * self.n
            while (f := self._dfs(s, t, self.INF)):
                flow += f
        return flow

    def min_cut(self, s):
        """Vertices on the source's side; call after max_flow."""
        seen, todo = {s}, [s]
        while todo:
            u = todo.pop()
            for v, cap, _ in self.adj[u]:
                if cap and v not in seen:
                    seen.add(v)
                    todo.append(v)
        return seen


def bipartite_matching(left: int, right: int, pairs) -> int:
    s, t = left + right, left + right + 1
    g = Dinic(left + right + 2)
    for i in range(left):
        g.add_edge(s, i, 1)
    for j in range(right):
        g.add_edge(left + j, t, 1)
    for i, j in pairs:
        g.add_edge(i, left + j, 1)
    return g.max_flow(s, t)


def test_textbook_network():
    g = Dinic(6)
    for u, v, c in [(0, 1, 16), (0, 2, 13), (1, 2, 10), (2, 1, 4), (1, 3, 12),
                    (3, 2, 9), (2, 4, 14), (4, 3, 7), (3, 5, 20), (4, 5, 4)]:
        g.add_edge(u, v, c)
    assert g.max_flow(0, 5) == 23
    assert g.min_cut(0) == {0, 1, 2, 4}


def test_matching():
    likes = {0: [0, 1], 1: [0], 2: [1, 2], 3: [2]}
    pairs = [(i, j) for i, js in likes.items() for j in js]
    assert bipartite_matching(4, 3, pairs) == 3


def test_disconnected():
    g = Dinic(3)
    g.add_edge(0, 1, 5)
    assert g.max_flow(0, 2) == 0


if __name__ == "__main__":
    test_textbook_network()
    test_matching()
    test_disconnected()
