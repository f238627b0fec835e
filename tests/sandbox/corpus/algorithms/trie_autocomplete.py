"""
A prefix tree with counts, for completing words.

>>> t = Trie(["car", "card", "care", "cat", "dog"])
>>> t.complete("car")
['car', 'card', 'care']
>>> t.longest_common_prefix()
''
>>> len(t)
5
"""
from collections import Counter


class Trie:
    class _Node(dict):
        """Children by letter; how often a word ended here."""

        def __init__(self):
            super().__init__()
            self.ends = 0

        def __missing__(self, letter):
            child = self[letter] = type(self)()
            return child

    def __init__(self, words=()):
        self._root = self._Node()
        self._words = 0
        self.update(words)

    def update(self, words):
        for word in words:
            self.add(word)

    def add(self, word, times=1):
        node = self._root
        for letter in word:
            node = node[letter]
        if not node.ends:
            self._words += 1
        node.ends += times

    def _walk(self, prefix):
        node = self._root
        for letter in prefix:
            if letter not in node:
                return None
            node = node[letter]
        return node

    def __contains__(self, word):
        node = self._walk(word)
        return node is not None and node.ends > 0

    def __len__(self):
        return self._words

    def _ends(self, node, sofar):
        if node.ends:
            yield sofar, node.ends
        for letter in sorted(node):
            yield from self._ends(node[letter], sofar + letter)

    def __iter__(self):
        return (word for word, _ in self._ends(self._root, ""))

    def complete(self, prefix, limit=None):
        """The words that begin so, the most frequent first, then by the alphabet."""
        start = self._walk(prefix)
        if start is None:
            return []
        found = sorted(self._ends(start, prefix), key=lambda pair: (-pair[1], pair[0]))
        return [word for word, _ in found[:limit]]

    def longest_common_prefix(self):
        letters, node = [], self._root
        while len(node) == 1 and not node.ends:
            [(letter, node)] = node.items()
            letters.append(letter)
        return "".join(letters)


TEXT = """the cat and the dog and the bird saw that the then thing
was there than they thought though the cat thought nothing"""

trie = Trie()
for word, n in Counter(TEXT.split()).most_common():
    trie.add(word, n)

assert trie.complete("th", 3) == ["the", "thought", "than"]
assert trie.complete("the") == ["the", "then", "there", "they"]
assert trie.complete("x") == []
assert "cat" in trie and "ca" not in trie and "" not in trie
assert list(trie) == sorted(set(TEXT.split()))
assert Trie(["interview", "internet", "interval"]).longest_common_prefix() == "inter"

t = Trie(["car", "card", "care", "cat", "dog"])
assert t.complete("car") == ["car", "card", "care"] and len(t) == 5
assert t.longest_common_prefix() == "" and __doc__.count(">>>") == 4
