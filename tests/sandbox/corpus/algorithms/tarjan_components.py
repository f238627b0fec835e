# Tarjan's strongly connected components, plus the condensed graph.
import sys

sys.setrecursionlimit(5000)


def strongly_connected(graph):
    index = {}
    low = {}
    on_stack = set()
    stack = []
    components = []
    counter = 0

    def visit(v):
        nonlocal counter
        index[v] = low[v] = counter
        counter += 1
        stack.append(v)
        on_stack.add(v)
        for w in graph.get(v, ()):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in on_stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            component = []
            while True:
                w = stack.pop()
                on_stack.discard(w)
                component.append(w)
                if w == v:
                    break
            components.append(frozenset(component))

    for v in graph:
        if v not in index:
            visit(v)
    return components


def condense(graph):
    components = strongly_connected(graph)
    home = {v: c for c in components for v in c}
    return {c: {home[w] for v in c for w in graph.get(v, ())} - {c} for c in components}


def test_small():
    g = {1: [2], 2: [3], 3: [1], 4: [2, 3, 5], 5: [4, 6], 6: [3, 7], 7: [6], 8: [5, 7, 8]}
    found = strongly_connected(g)
    assert {1, 2, 3} in found and {4, 5} in found
    assert sorted(map(len, found)) == [1, 2, 2, 3]


def test_condensed_is_acyclic():
    g = {"a": "b", "b": "ce", "c": "dg", "d": "ch", "e": "af", "f": "g", "g": "fh", "h": ""}
    small = condense(g)
    assert len(small) == 4
    seen = []
    for component in small:
        # Tarjan gives the components in reverse topological order
        assert all(other in seen for other in small[component])
        seen.append(component)


def test_long_chain():
    n = 800
    chain = {i: [i + 1] for i in range(n)}
    chain[n] = [0]
    assert strongly_connected(chain) == [frozenset(range(n + 1))]
    del chain[n]
    assert len(strongly_connected(chain)) == n + 1


for test in (test_small, test_condensed_is_acyclic, test_long_chain):
    test()
    print(test.__name__, "ok")
