# Rosetta Code style: many small tasks about strings
import re
import string
from collections import Counter
from itertools import groupby, permutations, zip_longest
from functools import cmp_to_key
import unicodedata

# --- Anagram check
is_anagram = lambda a, b: Counter(a) == Counter(b)
assert is_anagram("listen", "silent") and not is_anagram("abc", "abd")

# --- Caesar with str.translate
def caesar(s, k):
    k %= 26
    up, lo = string.ascii_uppercase, string.ascii_lowercase
    table = str.maketrans(up + lo, up[k:] + up[:k] + lo[k:] + lo[:k])
    return s.translate(table)
assert caesar(caesar("The Quick", 7), -7) == "The Quick"
print(caesar("Hello, World!", 13))

# --- Look and say
def look_and_say(n):
    return ''.join(str(len(list(g))) + k for k, g in groupby(n))
seq = ['1']
for _ in range(7):
    seq.append(look_and_say(seq[-1]))
print(*seq)
assert seq[-1] == '1113213211'

# --- Balanced brackets
def balanced(t):
    while '[]' in t:
        t = t.replace('[]', '')
    return not t
assert balanced('[[][]]') and not balanced('][')

# --- Soundex
def soundex(word):
    codes = ("bfpv", "cgjkqsxz", "dt", "l", "mn", "r")
    d = {ch: str(i) for i, grp in enumerate(codes, 1) for ch in grp}
    sdx = [d.get(c, '.') if c not in 'hw' else '' for c in word.lower()]
    s = ''.join(k for k, _ in groupby(''.join(sdx)))
    first = s[1:] if d.get(word[0].lower()) == s[:1] or s[:1] == '.' else s
    return (word[0].upper() + first.replace('.', '') + '000')[:4]
assert [soundex(w) for w in ("Robert", "Rupert", "Euler", "Gauss")] == ['R163', 'R163', 'E460', 'G200']

# --- Strip accents
def strip_accents(s):
    return ''.join(c for c in unicodedata.normalize('NFD', s) if not unicodedata.combining(c))
assert strip_accents("Crème Brûlée") == "Creme Brulee"

# --- Natural sort
def natural(s):
    return [int(p) if p.isdigit() else p.lower() for p in re.split(r'(\d+)', s)]
assert sorted(["f10", "f9", "F2", "f1"], key=natural) == ["f1", "F2", "f9", "f10"]

# --- Largest int from concatenated ints
big = ''.join(sorted(map(str, [1, 34, 3, 98, 9, 76, 45, 4]),
                     key=cmp_to_key(lambda a, b: (a + b < b + a) - (a + b > b + a))))
assert big == "998764543431", big

# --- Longest common prefix, the golfed way
lcp = lambda ws: ''.join(c[0] for c in iter(lambda z=zip(*ws): next(z, 'ab'), 'ab') if len(set(c)) == 1)
assert lcp(["interspecies", "interstellar", "interstate"]) == "inters"

# --- Number names with ordinal suffix
def nth(n):
    return "%i%s" % (n, "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th"))
print(' '.join(nth(n) for n in list(range(1, 5)) + [11, 22, 113]))

# --- String case, reversing words, columns
text = "the  quick brown\tfox"
assert text.title().swapcase() == "tHE  qUICK bROWN\tfOX"
assert ' '.join(reversed(text.split())) == "fox brown quick the"
for row in zip_longest(*["ab", "cde", "f"], fillvalue="-"):
    print(''.join(row), end='|')
print()
assert len({''.join(p) for p in permutations("aabb")}) == 6
assert "%s" % "x" + "%05.1f|%-6s|%+d|%x|%%|%c" % (3.14159, "ab", 5, 255, 65) == "x003.1|ab    |+5|ff|%|A"
assert "ß".casefold() == "ss" and "ﬁ".upper() == "FI" and "İ".lower() != "i"
assert bytes.fromhex("48 69").decode() == "Hi" and b"Hi".hex(":") == "48:69"
print("{:>8}|{:<8}|{:^8}|{:*^8}|{!r}".format("a", "b", "c", "d", "e"))
