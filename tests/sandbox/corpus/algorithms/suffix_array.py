from bisect import bisect_left, bisect_right
from itertools import groupby

def suffix_array(s):
    "prefix doubling"
    sa, rank, k = list(range(len(s))), [ord(c) for c in s], 1
    while True:
        key = lambda i: (rank[i], rank[i + k] if i + k < len(s) else -1)
        sa.sort(key=key)
        fresh = [0] * len(s)
        for r, (_, group) in enumerate(groupby(sa, key)):
            for i in group:
                fresh[i] = r
        rank, k = fresh, 2 * k
        if max(rank, default=0) >= len(s) - 1:
            return sa

def lcp_array(s, sa):
    place = {v: i for i, v in enumerate(sa)}
    h, out = 0, [0] * len(s)
    for i in range(len(s)):
        if place[i] == 0:
            h = 0
            continue
        j = sa[place[i] - 1]
        while s[i + h:i + h + 1] == s[j + h:j + h + 1] != "":
            h += 1
        out[place[i]] = h
        h = max(h - 1, 0)
    return out

class Index:
    def __init__(self, text):
        self.text, self.sa = text, suffix_array(text)
        self.lcp = lcp_array(text, self.sa)
    def find(self, word):
        key = lambda i: self.text[i:i + len(word)]
        lo = bisect_left(self.sa, word, key=key)
        hi = bisect_right(self.sa, word, key=key)
        return sorted(self.sa[lo:hi])
    def longest_repeat(self):
        n, i = max(zip(self.lcp, self.sa), default=(0, 0), key=lambda t: t[0])
        return self.text[i:i + n]
    def distinct(self):
        n = len(self.text)
        return n * (n + 1) // 2 - sum(self.lcp)

def bwt(s, end="\x03"):
    s += end
    return "".join(s[i - 1] for i in suffix_array(s))

def unbwt(b, end="\x03"):
    order = sorted(range(len(b)), key=lambda i: b[i])
    i, out = b.index(end), []
    for _ in b:
        i = order[i]
        out.append(b[i])
    return "".join(out)[:-1]

banana = Index("banana")
assert banana.sa == [5, 3, 1, 0, 4, 2]
assert banana.lcp == [0, 1, 3, 0, 0, 2]
assert banana.find("an") == [1, 3] and banana.find("nab") == []
assert banana.longest_repeat() == "ana"
assert banana.distinct() == len({"banana"[i:j] for i in range(6) for j in range(i + 1, 7)}) == 15
text = "she sells sea shells by the sea shore; the shells she sells are sea shells for sure"
idx = Index(text)
assert idx.sa == sorted(range(len(text)), key=lambda i: text[i:])
assert idx.find("shells") == [14, 43, 68]
assert idx.longest_repeat() == " sea shells "
assert unbwt(bwt(text)) == text and bwt("banana") == "annb\x03aa"
assert Index("").sa == [] and Index("a").distinct() == 1
runs = sum(1 for _ in groupby(bwt(text)))
print(f"{len(text)} letters, {runs} runs after the transform")
