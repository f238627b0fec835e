"""Edit distances, a Norvig-style corrector, a BK-tree and a trie for completion."""
import re
from collections import Counter, deque
from functools import lru_cache
from string import ascii_lowercase as LETTERS

CORPUS = """The quick brown fox jumps over the lazy dog. The dog barked at the fox, but the fox was
gone. Spelling is hard; spelling correctly is harder. Correct spelling makes reading easier, and
reading makes writing better. Something something something. There is something in the brown box.
Their books are over there. They're receiving letters because they believe in writing."""

words = lambda text: re.findall(r"[a-z']+", text.lower())
WORDS = Counter(words(CORPUS))


@lru_cache(None)
def levenshtein(a, b):
    if not a or not b:
        return len(a) + len(b)
    if a[0] == b[0]:
        return levenshtein(a[1:], b[1:])
    return 1 + min(levenshtein(a[1:], b), levenshtein(a, b[1:]), levenshtein(a[1:], b[1:]))


def damerau(a, b):
    """Iterative, with transpositions."""
    d = [[i + j if not i * j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1)
    return d[-1][-1]


def edits1(word):
    splits = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    deletes = [L + R[1:] for L, R in splits if R]
    transposes = [L + R[1] + R[0] + R[2:] for L, R in splits if len(R) > 1]
    replaces = [L + c + R[1:] for L, R in splits if R for c in LETTERS]
    inserts = [L + c + R for L, R in splits for c in LETTERS]
    return set(deletes + transposes + replaces + inserts)


def edits2(word):
    return (e2 for e1 in edits1(word) for e2 in edits1(e1))


def known(candidates):
    return {w for w in candidates if w in WORDS}


def correction(word):
    options = known([word]) or known(edits1(word)) or known(edits2(word)) or [word]
    return max(options, key=lambda w: (WORDS[w], w))


def autocorrect(text):
    def fix(m):
        word = m.group()
        better = correction(word.lower())
        return better.title() if word.istitle() else better.upper() if word.isupper() else better
    return re.sub(r"[A-Za-z']+", fix, text)


class BKTree:
    def __init__(self, items, distance=levenshtein):
        self.distance = distance
        items = iter(items)
        self.root = (next(items), {})
        for item in items:
            self.add(item)

    def add(self, item):
        word, children = self.root
        while (d := self.distance(item, word)):
            if d not in children:
                children[d] = (item, {})
                return
            word, children = children[d]

    def search(self, item, radius):
        queue, found = deque([self.root]), []
        while queue:
            word, children = queue.popleft()
            d = self.distance(item, word)
            if d <= radius:
                found.append((d, word))
            queue.extend(c for k, c in children.items() if d - radius <= k <= d + radius)
        return [w for _, w in sorted(found)]


class Trie:
    __slots__ = "children", "count"

    def __init__(self, *args):
        self.children, self.count = {}, 0
        for w in args:
            self[w] = self.get(w) + 1

    def _find(self, word, create=False):
        node = self
        for ch in word:
            if create:
                node = node.children.setdefault(ch, Trie())
            elif (node := node.children.get(ch)) is None:
                return None
        return node

    def get(self, word):
        return node.count if (node := self._find(word)) else 0

    def __setitem__(self, word, count):
        self._find(word, create=True).count = count

    def __iter__(self):
        if self.count:
            yield ""
        for ch in sorted(self.children):
            yield from (ch + rest for rest in self.children[ch])

    def complete(self, prefix, n=3):
        node = self._find(prefix)
        if node is None:
            return []
        return sorted((prefix + rest for rest in node), key=lambda w: (-self.get(w), w))[:n]


def soundex(name):
    codes = {c: str(i) for i, group in enumerate(["bfpv", "cgjkqsxz", "dt", "l", "mn", "r"], 1) for c in group}
    name = name.lower()
    out, last = name[0].upper(), codes.get(name[0])
    for ch in name[1:]:
        code = codes.get(ch)
        if code and code != last:
            out += code
        if ch not in "hw":
            last = code
    return (out + "000")[:4]


if __name__ == "__main__":
    pairs = {("kitten", "sitting"): 3, ("", "abc"): 3, ("flaw", "lawn"): 2, ("same", "same"): 0}
    assert all(levenshtein(*p) == d == damerau(*p) for p, d in pairs.items())
    assert levenshtein("ca", "ac") == 2 and damerau("ca", "ac") == 1
    assert len(edits1("somthing")) == 442
    for wrong, right in {"speling": "spelling", "korrect": "correct", "teh": "the", "brwn": "brown",
                         "somethnig": "something", "recieving": "receiving", "zzz": "zzz"}.items():
        assert correction(wrong) == right, (wrong, correction(wrong))
    assert autocorrect("Teh quikc BRWN fxo, realy!") == "The quick BROWN fox, realy!"
    tree = BKTree(sorted(WORDS))
    assert tree.search("there", 1) == ["there"] and set(tree.search("there", 2)) >= {"there", "the", "their"}
    assert all(set(tree.search(q, 2)) == {w for w in WORDS if levenshtein(q, w) <= 2} for q in ("bok", "fix", "lates"))
    trie = Trie(*words(CORPUS))
    assert list(trie) == sorted(WORDS) and trie.complete("the") == ["the", "there", "their"]
    assert trie.complete("so") == ["something"] and trie.complete("qx") == [] and trie.get("fox") == 3
    assert [soundex(n) for n in ("Robert", "Rupert", "Tymczak", "Pfister", "Honeyman")] == [
        "R163", "R163", "T522", "P236", "H555"]
    print(WORDS.most_common(3), levenshtein.cache_info().currsize)
