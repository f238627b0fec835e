"""Things asked at interviews. Each solution with a test under it."""
from collections import Counter, OrderedDict, deque
import heapq
import re
import string


# 1. first non repeating character
def first_unique(s):
    counts = Counter(s)
    return next((c for c in s if counts[c] == 1), None)

assert first_unique("swiss") == "w" and first_unique("aabb") is None


# 2. rotate an array in place
def rotate(a, k):
    k %= len(a)
    a[:] = a[-k:] + a[:-k]

a = [1, 2, 3, 4, 5]
rotate(a, 2)
assert a == [4, 5, 1, 2, 3]


# 3. merge k sorted lists
def merge_k(lists):
    heap = [(l[0], i, 0) for i, l in enumerate(lists) if l]
    heapq.heapify(heap)
    while heap:
        v, i, j = heapq.heappop(heap)
        yield v
        if j + 1 < len(lists[i]):
            heapq.heappush(heap, (lists[i][j + 1], i, j + 1))

assert list(merge_k([[1, 4, 7], [2, 5], [], [0, 9]])) == [0, 1, 2, 4, 5, 7, 9]


# 4. stock profit, max subarray
def kadane(a):
    best = cur = a[0]
    for x in a[1:]:
        cur = max(x, cur + x)
        best = max(best, cur)
    return best

assert kadane([-2, 1, -3, 4, -1, 2, 1, -5, 4]) == 6


# 5. string to int without int()
def my_atoi(s):
    m = re.match(r"\s*([+-]?)(\d+)", s)
    if not m:
        return 0
    n = 0
    for ch in m.group(2):
        n = n * 10 + string.digits.index(ch)
    return max(-2**31, min(2**31 - 1, -n if m[1] == "-" else n))

assert [my_atoi(s) for s in ("42", "  -17x", "abc", "99999999999")] == [42, -17, 0, 2147483647]


# 6. number of islands
def islands(grid):
    cells = {(r, c) for r, row in enumerate(grid) for c, v in enumerate(row) if v == "1"}
    n = 0
    while cells:
        n += 1
        q = deque([cells.pop()])
        while q:
            r, c = q.popleft()
            for nb in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
                if nb in cells:
                    cells.remove(nb)
                    q.append(nb)
    return n

assert islands(["11000", "11000", "00100", "00011"]) == 3


# 7. queue from two stacks
class MyQueue:
    def __init__(self):
        self.inbox, self.outbox = [], []

    def push(self, x):
        self.inbox.append(x)

    def pop(self):
        if not self.outbox:
            while self.inbox:
                self.outbox.append(self.inbox.pop())
        return self.outbox.pop()

q = MyQueue()
q.push(1); q.push(2)
assert q.pop() == 1
q.push(3)
assert (q.pop(), q.pop()) == (2, 3)


# 8. sliding window maximum
def window_max(nums, k):
    d, out = deque(), []
    for i, n in enumerate(nums):
        while d and nums[d[-1]] < n:
            d.pop()
        d.append(i)
        if d[0] == i - k:
            d.popleft()
        if i >= k - 1:
            out.append(nums[d[0]])
    return out

assert window_max([1, 3, -1, -3, 5, 3, 6, 7], 3) == [3, 3, 5, 5, 6, 7]


# 9. course schedule
def can_finish(n, pairs):
    indeg, g = [0] * n, {i: [] for i in range(n)}
    for a, b in pairs:
        g[b].append(a)
        indeg[a] += 1
    ready = [i for i in range(n) if not indeg[i]]
    for c in ready:
        for nxt in g[c]:
            indeg[nxt] -= 1
            if not indeg[nxt]:
                ready.append(nxt)
    return len(ready) == n

assert can_finish(3, [(1, 0), (2, 1)]) and not can_finish(2, [(0, 1), (1, 0)])

# 10. dedupe keeping order; swap keys and values; what does this print?
assert list(OrderedDict.fromkeys("mississippi")) == list("misp")
d = {"a": 1, "b": 2}
print({v: k for k, v in d.items()}, [x for x in (0, "", None, [], "x") if x], "%s" % (d,), end="!\n")
