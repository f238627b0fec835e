"""Substring search: naive, Knuth-Morris-Pratt, Z, Boyer-Moore-Horspool, Rabin-Karp."""


def naive(text, pattern):
    return [i for i in range(len(text) - len(pattern) + 1) if text.startswith(pattern, i)]


def failure(pattern):
    table, k = [0], 0
    for letter in pattern[1:]:
        while k and pattern[k] != letter:
            k = table[k - 1]
        k += pattern[k] == letter
        table.append(k)
    return table


def kmp(text, pattern):
    table, k, found = failure(pattern), 0, []
    for i, letter in enumerate(text):
        while k and (k == len(pattern) or pattern[k] != letter):
            k = table[k - 1]
        if pattern[k] == letter:
            k += 1
        if k == len(pattern):
            found.append(i - k + 1)
    return found


def z_array(s):
    z = [0] * len(s)
    left = right = 0
    for i in range(1, len(s)):
        if i < right:
            z[i] = min(right - i, z[i - left])
        while i + z[i] < len(s) and s[z[i]] == s[i + z[i]]:
            z[i] += 1
        if i + z[i] > right:
            left, right = i, i + z[i]
    return z


def by_z(text, pattern):
    n = len(pattern)
    return [i - n - 1 for i, length in enumerate(z_array(pattern + "\0" + text)) if length == n]


def horspool(text, pattern):
    n = len(pattern)
    shift = {c: n - 1 - i for i, c in enumerate(pattern[:-1])}
    found, i = [], 0
    while i <= len(text) - n:
        if text[i:i + n] == pattern:
            found.append(i)
            i += 1
        else:
            i += shift.get(text[i + n - 1], n)
    return found


def rabin_karp(text, pattern, base=257, mod=(1 << 61) - 1):
    n = len(pattern)
    if n > len(text):
        return []
    target = here = 0
    for p, t in zip(pattern, text):
        target = (target * base + ord(p)) % mod
        here = (here * base + ord(t)) % mod
    top = pow(base, n - 1, mod)
    found = [0] if here == target and text[:n] == pattern else []
    for i, (old, new) in enumerate(zip(text, text[n:]), start=1):
        here = ((here - ord(old) * top) * base + ord(new)) % mod
        if here == target and text[i:i + n] == pattern:
            found.append(i)
    return found


def smallest_period(s):
    p = len(s) - failure(s)[-1]
    return s[:p] if len(s) % p == 0 else s


cases = [
    ("abababab", "aba"),
    ("aaaaa", "aa"),
    ("the cat sat on the mat with the rat", "the"),
    ("abc", "abcd"),
    ("mississippi", "issi"),
    ("ABC ABCDAB ABCDABCDABDE", "ABCDABD"),
    ("\N{GREEK SMALL LETTER ALPHA}\u03b2\u03b1\u03b2\u03b1", "\u03b1\u03b2\u03b1"),
]
for text, pattern in cases:
    expected = naive(text, pattern)
    for search in kmp, by_z, horspool, rabin_karp:
        assert search(text, pattern) == expected, (search.__name__, text, pattern)
    print("%-40r %-10r %s" % (text, pattern, expected))

assert failure("ABCDABD") == [0, 0, 0, 0, 1, 2, 0]
assert z_array("aabxaab") == [0, 1, 0, 0, 3, 1, 0]
assert smallest_period("abcabcabc") == "abc" and smallest_period("abca") == "abca"
