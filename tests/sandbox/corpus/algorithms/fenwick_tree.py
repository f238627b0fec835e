from itertools import accumulate
import time

class Fenwick:
    def __init__(self, n):
        self.t = [0] * (n + 1)
    def add(self, i, x):
        i += 1
        while i < len(self.t):
            self.t[i] += x
            i += i & -i
    def prefix(self, i):
        s = 0
        while i: s += self.t[i]; i &= i - 1
        return s
    def __getitem__(self, s):
        if isinstance(s, int): return self.prefix(s + 1) - self.prefix(s)
        a, b, _ = s.indices(len(self.t) - 1)
        return self.prefix(b) - self.prefix(a)
    def kth(self, k):
        "index of the k-th one, counting from 1"
        pos, step = 0, 1 << (len(self.t).bit_length())
        while step := step >> 1:
            if pos + step < len(self.t) and self.t[pos + step] < k:
                pos += step
                k -= self.t[pos]
        return pos

def inversions(a):
    rank = {v: i for i, v in enumerate(sorted(set(a)))}
    f, n = Fenwick(len(rank)), 0
    for v in reversed(a):
        n += f.prefix(rank[v])
        f.add(rank[v], 1)
    return n

def josephus(n, k):
    f = Fenwick(n)
    for i in range(n): f.add(i, 1)
    i = 0
    for left in range(n, 0, -1):
        i = (i + k - 1) % left
        who = f.kth(i + 1)
        f.add(who, -1)
        yield who + 1

data = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]
f = Fenwick(len(data))
for i, x in enumerate(data): f.add(i, x)
assert [f.prefix(i + 1) for i in range(len(data))] == list(accumulate(data))
assert f[2:5] == 10 and f[:] == 44 and f[-3:] == 13 and f[5] == 9
f.add(5, -9)
assert f[5] == 0 and f[4:7] == 7

assert inversions([1, 2, 3]) == 0
assert inversions([3, 2, 1]) == 3
assert inversions(data) == sum(data[i] > data[j] for j in range(11) for i in range(j))
*dead, survivor = josephus(41, 3)
assert survivor == 31 and dead[:4] == [3, 6, 9, 12]
started = time.perf_counter()
big = inversions([n * 7919 % 2003 for n in range(2003)])
took = time.perf_counter() - started
assert took >= 0 and big > 0
print(f"{survivor=} {len(dead)=} {big=:,} in {took:.3f}s")
