# two days in one, golfed before breakfast
import re, itertools, functools, collections

# part one: numbers in balanced base three, T = -1
D = {'T': -1, '0': 0, '1': 1}

def fr(s): return functools.reduce(lambda a, c: a * 3 + D[c], s, 0)
def to(n):
    r = ""
    while n:
        n, d = divmod(n + 1, 3)
        r = "T01"[d] + r
    return r or "0"

assert [to(n) for n in range(6)] == ['0', '1', '1T', '10', '11', '1TT']
assert all(fr(to(x)) == x for x in range(-300, 300))
print(to(sum(map(fr, "1T0 11T 1001 TT1".split()))))

# part two: collect honey before the sun sets; each hive opened gives its rate per minute left
HIVES = """hive oak gives 0 per minute; next to elm, fir
hive elm gives 7 per minute; next to oak, ash
hive fir gives 12 per minute; next to oak, yew
hive ash gives 3 per minute; next to elm
hive yew gives 20 per minute; next to fir"""

F, dist = {}, collections.defaultdict(lambda: 99)
V = []
for v, f, us in re.findall(r"hive (\w+) gives (\d+) .*; next to (.*)", HIVES):
    V += [v]
    if f != '0': F[v] = int(f)
    for u in us.split(', '): dist[v, u] = 1
for k, i, j in itertools.product(V, V, V):
    dist[i, j] = min(dist[i, j], dist[i, k] + dist[k, j])

@functools.cache
def best(at, t, left):
    opts = [0]
    for v in left:
        rest = t - dist[at, v] - 1
        if rest > 0: opts += [rest * F[v] + best(v, rest, left - {v})]
    return max(opts)

everything = frozenset(F)
print(best('oak', 10, everything))

def slow(at, t):
    """brute force over orders, to check"""
    top = 0
    for order in itertools.permutations(F):
        p, left, total = at, t, 0
        for v in order:
            left -= dist[p, v] + 1
            if left <= 0: break
            total += left * F[v]
            p = v
        top = max(top, total)
    return top

assert all(best('oak', t, everything) == slow('oak', t) for t in range(1, 15))
print(best.cache_info().hits > 0, max(F, key=F.get), *sorted(F.items()))
