"""Regular expression games: golf, a crossword, and a matcher of our own."""
import re
from functools import reduce
from itertools import product


def verify(regex, winners, losers):
    return all(re.search(regex, w) for w in winners) and not any(re.search(regex, l) for l in losers)


def subparts(word, longest=4):
    return {word[i:i + n] for n in range(1, longest + 1) for i in range(len(word) - n + 1)}


def dotify(part):
    return {"".join(p) for p in product(*(("." if c not in "^$" else c, c) for c in part))}


def golf(winners, losers):
    """A greedy cover of the winners by small parts that no loser has."""
    anchored = {w: "^" + w + "$" for w in winners}
    pool = {"^" + w + "$" for w in winners}
    for text in anchored.values():
        for part in subparts(text):
            pool |= dotify(part)
    pool = {p for p in pool if not any(re.search(p, l) for l in losers)}
    cover = {p: {w for w in winners if re.search(p, w)} for p in pool}
    left, chosen = set(winners), []
    while left:
        best = max(cover, key=lambda p: (4 * len(cover[p] & left) - len(p), p))
        chosen.append(best)
        left -= cover[best]
    return "|".join(chosen)


def matches(pattern, text):
    """A matcher for c . ^ $ * + ? written as a recursion."""
    def here(p, t):
        if not p:
            return True
        if p == "$":
            return not t
        if p[1:2] and p[1] in "*+?":
            return repeat(p[0], p[1], p[2:], t)
        return bool(t) and p[0] in (".", t[0]) and here(p[1:], t[1:])

    def repeat(c, kind, rest, t):
        least, most = {"*": (0, len(t)), "+": (1, len(t)), "?": (0, 1)}[kind]
        n = 0
        while n < most and n < len(t) and c in (".", t[n]):
            n += 1
        while n >= least:
            if here(rest, t[n:]):
                return True
            n -= 1
        return False

    if pattern.startswith("^"):
        return here(pattern[1:], text)
    return any(here(pattern, text[i:]) for i in range(len(text) + 1))


def crossword(rows, columns, alphabet):
    """Cells such that each row and column matches its expression in full."""
    lines = [
        ["".join(l) for l in product(alphabet, repeat=len(columns)) if re.fullmatch(r, "".join(l))] for r in rows
    ]
    for grid in product(*lines):
        if all(re.fullmatch(c, "".join(cells)) for c, cells in zip(columns, zip(*grid))):
            yield grid


def multiples_of_three():
    return re.compile("^([0369]|[147][0369]*[258]|(?:[258]|[147][0369]*[147])(?:[0369]|[258][0369]*[147])*(?:[147]|[258][0369]*[258]))+$")


winners = "dragon wagon flagon jargon".split()
losers = "person bacon apron marathon".split()
short = golf(winners, losers)
print(short)
assert verify(short, winners, losers) and len(short) <= 3
months = "january february march april may june july august september october november december".split()
summer = months[5:8]
others = [m for m in months if m not in summer]
found = golf(summer, others)
assert verify(found, summer, others) and len(found) < len("|".join(summer)), found

for pattern in ("ab*c", "^a.c$", "x?y+z", ".*", "^$", "a+b", "b$", "^b", "a.*c"):
    for text in ("", "abc", "ac", "abbbc", "yyz", "xyz", "aab", "bca", "axxc"):
        assert matches(pattern, text) == bool(re.search(pattern, text)), (pattern, text)

assert list(crossword(["HE|LL|O+", "[PLEASE]+"], ["[^SPEAK]+", "EP|IP|EF"], "HELPOS")) == [("HE", "LP")]
pattern = multiples_of_three()
assert all(bool(pattern.match(str(n))) == (n % 3 == 0) for n in range(300))

text = "2024-03-15 and 15/3/2024, tel. +44 20 7946 0000"
dates = re.compile(r"(?P<y>\d{4})-(?P<m>\d\d?)-(?P<d>\d\d?)|(?P<d2>\d\d?)/(?P<m2>\d\d?)/(?P<y2>\d{4})")
assert [tuple(int(g) for g in m.groups() if g) for m in dates.finditer(text)] == [(2024, 3, 15), (15, 3, 2024)]
assert re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", "1234567") == "1,234,567"
assert re.findall(r"\b(\w)\w*\1\b", "level noon xyz") == ["l", "n"]
cleaned = reduce(lambda s, rule: re.sub(*rule, s), [(r"\s+", " "), (r"^ | $", ""), (r"(\w+) \1\b", r"\1")], "  the the  end ")
assert cleaned == "the end" and re.split(r"[,;]\s*", "a, b;c") == ["a", "b", "c"]
try:
    re.compile("(")
except re.error as e:
    print(e.msg, e.pos)
