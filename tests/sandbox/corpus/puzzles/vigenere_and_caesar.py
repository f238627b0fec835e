"""Old ciphers and how they are broken."""
from collections import Counter
from itertools import cycle
from string import ascii_lowercase as abc
import codecs
import unicodedata

FREQUENCY = dict(zip(abc, (8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2.0, 6.1, 7.0, 0.15, 0.77, 4.0, 2.4,
                           6.7, 7.5, 1.9, 0.095, 6.0, 6.3, 9.1, 2.8, 0.98, 2.4, 0.15, 2.0, 0.074)))


def caesar(text, n):
    n %= 26
    table = str.maketrans(abc + abc.upper(), abc[n:] + abc[:n] + (abc[n:] + abc[:n]).upper())
    return text.translate(table)


def letters(text):
    """Lower case without accents and everything that isn't a letter."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in plain if c in abc)


def chi_squared(text):
    counts, n = Counter(text), len(text)
    return sum((counts[c] - n * f / 100) ** 2 / (n * f / 100) for c, f in FREQUENCY.items())


def break_caesar(text):
    return min(range(26), key=lambda n: chi_squared(letters(caesar(text, -n))))


def vigenere(text, key, decode=False):
    shifts = cycle(abc.index(k) for k in key.lower())
    sign = -1 if decode else 1
    return "".join(caesar(c, sign * next(shifts)) if c.isalpha() else c for c in text)


def coincidence(text):
    n = len(text)
    return sum(k * (k - 1) for k in Counter(text).values()) / (n * (n - 1) or 1)


def break_vigenere(text, longest=12):
    pure = letters(text)

    def columns(n):
        return [pure[i::n] for i in range(n)]

    scores = {n: sum(map(coincidence, columns(n))) / n for n in range(1, longest + 1)}
    limit = 0.9 * max(scores.values())
    length = min(n for n, s in scores.items() if s >= limit)
    return "".join(abc[break_caesar(column)] for column in columns(length))


def atbash(text):
    return text.translate({ord(a): b for a, b in zip(abc, reversed(abc))})


def rail_fence(text, rails):
    rows = [[] for _ in range(rails)]
    path = [*range(rails), *range(rails - 2, 0, -1)]
    for c, r in zip(text, cycle(path)):
        rows[r].append(c)
    return "".join(sum(rows, []))


def unrail(text, rails):
    path = cycle([*range(rails), *range(rails - 2, 0, -1)])
    order = sorted(range(len(text)), key=dict(enumerate([next(path) for _ in text])).get)
    out = [""] * len(text)
    for c, i in zip(text, order):
        out[i] = c
    return "".join(out)


def polybius(text, key="zebra"):
    alphabet = "".join(dict.fromkeys(key + abc.replace("j", "")))
    return " ".join("%d%d" % tuple(x + 1 for x in divmod(alphabet.index(c), 5)) for c in text.replace("j", "i"))


PLAIN = """It was a bright cold day in the early spring, and all the clocks of the little
town were telling a different hour. The old teacher walked slowly down the street with
her books under one arm, thinking of the letter that had come the evening before, and
wondering whether anybody else remembered the summer when the river had risen so high
that the children went to school in boats. Nobody did, she thought; they were all too
young, or they had moved away, or they had simply chosen to forget how cold it was."""

assert caesar("Hello, World!", 3) == "Khoor, Zruog!"
assert caesar(caesar(PLAIN, 11), -11) == PLAIN and caesar("abc", 26) == "abc"
assert caesar(PLAIN, 13) == codecs.encode(PLAIN, "rot13")
assert all(break_caesar(caesar(PLAIN[:100], n)) == n for n in range(0, 26, 5))
secret = vigenere(PLAIN, "Lemon")
assert vigenere("attackatdawn", "lemon") == "lxfopvefrnhr"
assert vigenere(secret, "lemon", decode=True) == PLAIN
key = break_vigenere(secret)
assert key == "lemon", key
assert 0.06 < coincidence(letters(PLAIN)) < 0.08 and coincidence(letters(secret)) < 0.055
assert letters("D\u00e9j\u00e0 vu, No\u00ebl!") == "dejavunoel" and unicodedata.name("\u00eb").endswith("DIAERESIS")
assert atbash(atbash("wizard")) == "wizard" and atbash("hob") == "sly"
assert rail_fence("WEAREDISCOVEREDFLEEATONCE", 3) == "WECRLTEERDSOEEFEAOCAIVDEN"
for rails in range(2, 7):
    assert unrail(rail_fence(PLAIN, rails), rails) == PLAIN
assert polybius("jazz") == polybius("iazz") and polybius("zebra") == "11 12 13 14 15"
print(secret.splitlines()[0], key, sep=" <- ")
