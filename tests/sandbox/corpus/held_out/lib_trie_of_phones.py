class TrieNode:
    def __init__(self):
        self.children = {}
        self.is_end = False
        self.value = None


class Trie:
    def __init__(self, words=None):
        self.root = TrieNode()
        self._len = 0
        for w in words or []:
            self[w] = True

    def __setitem__(self, key, value):
        node = self.root
        for ch in key:
            if ch not in node.children:
                node.children[ch] = TrieNode()
            node = node.children[ch]
        if not node.is_end:
            self._len += 1
        node.is_end = True
        node.value = value

    def _find(self, key):
        node = self.root
        for ch in key:
            node = node.children.get(ch)
            if node is None:
                return None
        return node

    def __getitem__(self, key):
        node = self._find(key)
        if node is None or not node.is_end:
            raise KeyError(key)
        return node.value

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        node = self._find(key)
        return node is not None and node.is_end

    def __delitem__(self, key):
        path = [(None, self.root)]
        for ch in key:
            path.append((ch, path[-1][1].children[ch]))
        path[-1][1].is_end = False
        self._len -= 1
        while len(path) > 1 and not path[-1][1].children and not path[-1][1].is_end:
            ch, _ = path.pop()
            del path[-1][1].children[ch]

    def __len__(self):
        return self._len

    def items(self, prefix=""):
        def walk(node, path):
            if node.is_end:
                yield "".join(path), node.value
            for ch in sorted(node.children):
                yield from walk(node.children[ch], path + [ch])
        start = self._find(prefix)
        if start is not None:
            yield from walk(start, list(prefix))

    def longest_prefix(self, text):
        node, best = self.root, None
        for i, ch in enumerate(text):
            node = node.children.get(ch)
            if node is None:
                break
            if node.is_end:
                best = text[:i + 1], node.value
        return best


codes = Trie()
for line in """
1 US/Canada
44 UK
49 Germany
4930 Berlin
4989 Munich
358 Finland
""".strip().split("\n"):
    code, country = line.split(" ", 1)
    codes[code] = country

assert len(codes) == 6
for number in ("493012345", "4940555", "35850", "999"):
    match = codes.longest_prefix(number)
    print(number, "->", "unknown" if match is None else "%s (%s)" % match[::-1])
assert codes.longest_prefix("4989123")[1] == "Munich"
assert [k for k, _ in codes.items("4")] == ["44", "49", "4930", "4989"]
assert "49" in codes and "493" not in codes and codes.get("493", "-") == "-"
del codes["49"]
assert "49" not in codes and codes["4930"] == "Berlin" and len(codes) == 5
del codes["4930"], codes["4989"]
assert codes._find("49") is None and codes._find("4") is not None
try:
    codes["49"]
except KeyError as e:
    print("KeyError", e)
words = Trie("to tea ted ten i in inn".split())
assert dict(words.items("te")) == dict.fromkeys(["tea", "ted", "ten"], True)
