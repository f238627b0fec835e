# PageRank, HITS and communities for a small web.
from collections import defaultdict, Counter, deque
import math

LINKS = """
home: about products blog
about: home
products: home shop
shop: products cart
cart: shop
blog: home post1 post2
post1: blog products
post2: blog post1 external
external:
"""

def read_graph(text):
    graph = {}
    for line in text.strip().split('\n'):
        page, _, targets = line.partition(':')
        graph[page] = targets.split()
    return graph

def pagerank(graph, damping=0.85, eps=1e-10, personal=None):
    n = len(graph)
    if personal is None:
        personal = dict.fromkeys(graph, 1.0 / n)
    rank = dict(personal)
    rounds = 0
    while True:
        rounds += 1
        dangling = sum(rank.get(p, 0) for p in graph if not graph[p])
        new = {p: (1 - damping + damping * dangling) * personal.get(p, 0) for p in graph}
        for page, targets in graph.items():
            for t in targets:
                new[t] += damping * rank.get(page, 0) / len(targets)
        if sum(abs(new[p] - rank.get(p, 0)) for p in graph) < eps:
            return new, rounds
        rank = new

def hits(graph, rounds=50):
    hub = dict.fromkeys(graph, 1.0)
    auth = {}
    for _ in range(rounds):
        auth = defaultdict(float)
        for p, ts in graph.items():
            for t in ts:
                auth[t] += hub[p]
        norm = math.sqrt(sum(v * v for v in auth.values()))
        auth = {p: auth[p] / norm for p in graph}
        hub = {p: sum(auth[t] for t in ts) for p, ts in graph.items()}
        norm = math.sqrt(sum(v * v for v in hub.values()))
        hub = {p: v / norm for p, v in hub.items()}
    return hub, auth

def undirected(graph):
    result = {p: set() for p in graph}
    for p, ts in graph.items():
        for t in ts:
            result[p].add(t); result[t].add(p)
    return result

def betweenness(graph):
    """Brandes' algorithm."""
    score = dict.fromkeys(graph, 0.0)
    for s in graph:
        stack, preds = [], defaultdict(list)
        sigma, dist = Counter({s: 1}), {s: 0}
        queue = deque([s])
        while queue:
            v = queue.popleft()
            stack.append(v)
            for w in graph[v]:
                if w not in dist:
                    dist[w] = dist[v] + 1
                    queue.append(w)
                if dist[w] == dist[v] + 1:
                    sigma[w] += sigma[v]
                    preds[w].append(v)
        delta = Counter()
        while stack:
            w = stack.pop()
            for v in preds[w]:
                delta[v] += sigma[v] / sigma[w] * (1 + delta[w])
            if w != s:
                score[w] += delta[w]
    return score

def communities(graph, rounds=20):
    """Label propagation, with ties broken by name."""
    label = {p: p for p in graph}
    for _ in range(rounds):
        changed = False
        for p in sorted(graph):
            if not graph[p]:
                continue
            votes = Counter(label[q] for q in graph[p])
            top = max(votes.values())
            best = max(l for l, c in votes.items() if c == top)
            if votes[label[p]] != top:
                label[p], changed = best, True
        if not changed:
            break
    groups = defaultdict(set)
    for p, l in label.items():
        groups[l].add(p)
    return sorted(groups.values(), key=lambda g: (-len(g), min(g)))

def clustering(graph, p):
    near = sorted(graph[p])
    if len(near) < 2: return 0.0
    links = sum(b in graph[a] for i, a in enumerate(near) for b in near[i+1:])
    return 2.0 * links / (len(near) * (len(near) - 1))

def bar(value, width=30):
    return '#' * int(round(value * width))

web = read_graph(LINKS)
assert len(web) == 9 and web['external'] == []
rank, rounds = pagerank(web)
for page, value in sorted(rank.items(), key=lambda kv: -kv[1]):
    print('%-10s %.4f %s' % (page, value, bar(value)))
assert abs(sum(rank.values()) - 1) < 1e-9
assert 10 < rounds < 200
order = sorted(rank, key=rank.get, reverse=True)
assert order[0] in ('home', 'products')
assert rank['cart'] < rank['shop'] < rank['products']

topic, _ = pagerank(web, personal={'cart': 1.0})
assert topic['cart'] > rank['cart'] and topic['external'] < rank['external']

hub, auth = hits(web)
assert max(hub, key=hub.get) in ('home', 'post1', 'post2', 'blog') and auth['external'] > 0
assert abs(sum(v * v for v in auth.values()) - 1) < 1e-9

u = undirected(web)
assert u['external'] == {'post2'}
middle = betweenness(u)
assert max(middle, key=middle.get) == 'products' and middle['external'] == middle['about'] == middle['cart'] == 0
groups = communities(u)
assert sum(map(len, groups)) == 9 and all(web)
triangle = {'a': {'b', 'c'}, 'b': {'a', 'c'}, 'c': {'a', 'b', 'd'}, 'd': {'c'}}
assert [round(clustering(triangle, x), 2) for x in 'abcd'] == [1.0, 1.0, 0.33, 0.0]
two = {0: {1, 2}, 1: {0, 2}, 2: {0, 1, 3}, 3: {2, 4, 5}, 4: {3, 5}, 5: {3, 4}}
result = communities(two)
print(result)
assert {frozenset(g) for g in result} == {frozenset({0, 1, 2}), frozenset({3, 4, 5})}, result
