import heapq
import random
import time
from functools import wraps

random.seed(10)
ALGORITHMS = []


def algorithm(f):
    @wraps(f)
    def timed(data):
        data = list(data)
        t = time.perf_counter()
        result = f(data)
        timed.elapsed += time.perf_counter() - t
        return data if result is None else result
    timed.elapsed = 0.0
    ALGORITHMS.append(timed)
    return timed


@algorithm
def bubble(a):
    n = len(a)
    swapped = True
    while swapped:
        swapped = False
        for i in range(1, n):
            if a[i - 1] > a[i]:
                a[i - 1], a[i] = a[i], a[i - 1]
                swapped = True
        n -= 1


@algorithm
def selection(a):
    for i in range(len(a)):
        m = min(range(i, len(a)), key=a.__getitem__)
        a[i], a[m] = a[m], a[i]


@algorithm
def merge(a):
    if len(a) < 2:
        return a
    def go(a):
        if len(a) < 2:
            return a
        mid = len(a) // 2
        left, right, out = go(a[:mid]), go(a[mid:]), []
        i = j = 0
        while i < len(left) and j < len(right):
            if left[i] <= right[j]:
                out.append(left[i]); i += 1
            else:
                out.append(right[j]); j += 1
        return out + left[i:] + right[j:]
    return go(a)


@algorithm
def quick(a):
    def partition(lo, hi):
        pivot, i = a[hi], lo
        for j in range(lo, hi):
            if a[j] < pivot:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[hi] = a[hi], a[i]
        return i
    stack = [(0, len(a) - 1)]
    while stack:
        lo, hi = stack.pop()
        if lo < hi:
            p = partition(lo, hi)
            stack += [(lo, p - 1), (p + 1, hi)]


@algorithm
def heap(a):
    heapq.heapify(a)
    return [heapq.heappop(a) for _ in range(len(a))]


@algorithm
def counting(a):
    if not a:
        return a
    lo = min(a)
    counts = [0] * (max(a) - lo + 1)
    for x in a:
        counts[x - lo] += 1
    return [i + lo for i, c in enumerate(counts) for _ in range(c)]


@algorithm
def radix(a):
    shift, offset = 0, min(a, default=0)
    a = [x - offset for x in a]
    while any(x >> shift for x in a):
        buckets = [[] for _ in range(16)]
        for x in a:
            buckets[x >> shift & 15].append(x)
        a = [x for b in buckets for x in b]
        shift += 4
    return [x + offset for x in a]


@algorithm
def comb(a):
    gap, swapped = len(a), False
    while gap > 1 or swapped:
        gap = max(1, int(gap / 1.3))
        swapped = False
        for i in range(len(a) - gap):
            if a[i] > a[i + gap]:
                a[i], a[i + gap], swapped = a[i + gap], a[i], True


cases = {
    "empty": [], "one": [1], "sorted": list(range(40)), "reversed": list(range(40, 0, -1)),
    "equal": [5] * 30, "negative": [random.randint(-99, 99) for _ in range(120)],
}
for f in ALGORITHMS:
    for name, data in cases.items():
        assert f(data) == sorted(data), (f.__name__, name)
    print("%-10s ok" % f.__name__)
assert all(f.elapsed >= 0 for f in ALGORITHMS) and len(ALGORITHMS) == 8
words = "banana Apple cherry apple Banana".split()
print(sorted(words), sorted(words, key=str.lower), sorted(words, key=lambda w: (len(w), w)))
