from collections import defaultdict, deque
from heapq import heappush, heappop
import math


class Graph:
    def __init__(self, directed=False):
        self.adj = defaultdict(dict)
        self.directed = directed

    @classmethod
    def from_text(cls, text, **kw):
        g = cls(**kw)
        for line in text.strip().splitlines():
            u, v, *w = line.split()
            g.add_edge(u, v, float(w[0]) if w else 1)
        return g

    def add_edge(self, u, v, w=1):
        self.adj[u][v] = w
        self.adj[v]
        if not self.directed:
            self.adj[v][u] = w

    def __contains__(self, v): return v in self.adj
    def __getitem__(self, v): return self.adj[v]
    def __iter__(self): return iter(self.adj)
    def __len__(self): return len(self.adj)

    def edges(self):
        for u in self:
            for v, w in self[u].items():
                if self.directed or u <= v:
                    yield u, v, w

    def bfs(self, start):
        seen, q = {start: None}, deque([start])
        while q:
            u = q.popleft()
            yield u
            for v in sorted(self[u]):
                if v not in seen:
                    seen[v] = u
                    q.append(v)

    def dfs(self, start, visited=None):
        visited = visited if visited is not None else set()
        visited.add(start)
        yield start
        for v in sorted(self[start]):
            if v not in visited:
                yield from self.dfs(v, visited)

    def dijkstra(self, src):
        dist = {v: math.inf for v in self}
        prev = {}
        dist[src] = 0
        pq = [(0, src)]
        while pq:
            d, u = heappop(pq)
            if d > dist[u]:
                continue
            for v, w in self[u].items():
                if d + w < dist[v]:
                    dist[v], prev[v] = d + w, u
                    heappush(pq, (dist[v], v))
        return dist, prev

    def path(self, src, dst):
        _, prev = self.dijkstra(src)
        path = [dst]
        while path[-1] != src:
            path.append(prev[path[-1]])
        return path[::-1]

    def prim(self):
        start = min(self)
        seen, pq, total, tree = {start}, [(w, start, v) for v, w in self[start].items()], 0, []
        pq.sort()
        while pq:
            w, u, v = heappop(pq)
            if v in seen:
                continue
            seen.add(v)
            total += w
            tree.append(u + v)
            for x, wx in self[v].items():
                heappush(pq, (wx, v, x))
        return total, tree

    def bellman_ford(self, src):
        dist = defaultdict(lambda: math.inf, {src: 0})
        for i in range(len(self)):
            changed = False
            for u, v, w in self.edges():
                if dist[u] + w < dist[v]:
                    dist[v] = dist[u] + w
                    changed = True
            if not changed:
                return dict(dist)
        raise ValueError("negative cycle")

    def bipartite(self):
        color = {}
        for s in self:
            if s in color:
                continue
            color[s] = 0
            stack = [s]
            while stack:
                u = stack.pop()
                for v in self[u]:
                    if v not in color:
                        color[v] = 1 - color[u]
                        stack.append(v)
                    elif color[v] == color[u]:
                        return False
        return True


g = Graph.from_text("""
A B 4
A C 2
B C 1
B D 5
C D 8
C E 10
D E 2
D F 6
E F 3
""")
print(*g.bfs("A"), sep=" -> ")
assert list(g.dfs("A")) == list("ABCDEF")
dist, _ = g.dijkstra("A")
assert dist == dict(A=0, B=3, C=2, D=8, E=10, F=13) and g.path("A", "F") == list("ACBDEF")
total, tree = g.prim()
print(total, tree)
assert total == 13 and len(tree) == len(g) - 1
assert not g.bipartite() and Graph.from_text("a b\nb c\nc d\nd a").bipartite()
h = Graph.from_text("s a 6\ns b 7\na b 8\na c -4\nb c 9\nc s 20", directed=True)
assert h.bellman_ford("s")["c"] == 2
h.add_edge("c", "a", 1)
try:
    h.bellman_ford("s")
except ValueError as e:
    print(e)
assert "A" in g and "Z" not in g and sum(1 for _ in g.edges()) == 9
