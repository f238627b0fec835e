from __future__ import annotations
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain, combinations, product
from typing import DefaultDict, Hashable, Iterable, Mapping, Set, TypeVar
import heapq
import math
import random

V = TypeVar("V", bound=Hashable)


class UGraph(Mapping[V, Set[V]]):
    def __init__(self, edges: Iterable[tuple[V, V]] = ()):
        self._adj: DefaultDict[V, set[V]] = defaultdict(set)
        for a, b in edges:
            self.link(a, b)

    def link(self, a, b):
        self._adj[a].add(b)
        self._adj[b].add(a)
        return self

    def __getitem__(self, v):
        if v not in self._adj:
            raise KeyError(v)
        return frozenset(self._adj[v])

    def __iter__(self):
        return iter(self._adj)

    def __len__(self):
        return len(self._adj)

    def edges(self):
        return {frozenset((a, b)) for a in self for b in self[a]}

    def __add__(self, o):
        return type(self)(map(tuple, self.edges() | o.edges()))

    def components(self):
        todo = set(self)
        while todo:
            stack, comp = [todo.pop()], set()
            while stack:
                v = stack.pop()
                comp.add(v)
                stack.extend(self[v] - comp)
            todo -= comp
            yield comp

    def greedy_colours(self):
        out = {}
        for v in sorted(self, key=lambda v: (-len(self[v]), str(v))):
            used = {out.get(n) for n in self[v]}
            out[v] = next(c for c in range(len(self)) if c not in used)
        return out

    def colour(self, k):
        order = sorted(self, key=str)
        out = {}

        def go(i):
            if i == len(order):
                return True
            for c in range(k):
                if all(out.get(n) != c for n in self[order[i]]):
                    out[order[i]] = c
                    if go(i + 1):
                        return True
                    del out[order[i]]
            return False

        return out if go(0) else None

    def cliques(self):
        def bk(r, p, x):
            if not p and not x:
                yield r
            for v in list(p):
                yield from bk(r | {v}, p & self[v], x & self[v])
                p = p - {v}
                x = x | {v}
        return bk(frozenset(), frozenset(self), frozenset())

    def bridges(self):
        low, order, out = {}, {}, []

        def dfs(v, parent):
            order[v] = low[v] = len(order)
            for n in sorted(self[v]):
                if n == parent:
                    continue
                if n in order:
                    low[v] = min(low[v], order[n])
                else:
                    dfs(n, v)
                    low[v] = min(low[v], low[n])
                    if low[n] > order[v]:
                        out.append((v, n))

        for v in sorted(self):
            if v not in order:
                dfs(v, None)
        return out

    def euler(self):
        odd = [v for v in self if len(self[v]) % 2]
        if len(odd) not in (0, 2):
            return None
        left = {v: set(ns) for v, ns in self.items()}
        stack, path = [min(odd, default=next(iter(self)))], []
        while stack:
            v = stack[-1]
            if left[v]:
                n = min(left[v])
                left[v].discard(n)
                left[n].discard(v)
                stack.append(n)
            else:
                path.append(stack.pop())
        return path


aus = UGraph(p.split("-") for p in "WA-NT WA-SA NT-SA NT-Q SA-Q SA-NSW SA-V Q-NSW NSW-V".split())
c = aus.colour(3)
print(c)
assert c and all(c[a] != c[b] for a, b in map(tuple, aus.edges())) and aus.colour(2) is None and max(aus.greedy_colours().values()) == 2
assert len(aus) == 6 and "SA" in aus and dict(aus)["V"] == {"SA", "NSW"} and len(aus.edges()) == 9 and aus.get("TAS") is None
g = UGraph([(1, 2), (2, 3), (3, 1), (3, 4), (5, 6)])
assert sorted(map(sorted, g.components())) == [[1, 2, 3, 4], [5, 6]] and g.bridges() == [(3, 4), (5, 6)]
assert sorted(map(sorted, g.cliques())) == [[1, 2, 3], [3, 4], [5, 6]]
assert UGraph("ab bc ca".split()).euler() in (list("abca"), list("acba")) and g.euler() is None
assert len(g + UGraph([(4, 5)])) == 6 and sum(1 for _ in (g + UGraph([(4, 5)])).components()) == 1
try:
    g[99]
except KeyError as e:
    assert e.args == (99,)
