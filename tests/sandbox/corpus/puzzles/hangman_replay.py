"""Hangman: the word hides behind attributes; players are generators."""
from collections import Counter
import random


WORDS = ("python monty spanish inquisition parrot cheese shop lumberjack ministry silly walks "
         "holy grail knight rabbit castle swallow coconut brave shrubbery").split()


class Hidden:
    """Shows a word as far as it has been guessed."""

    def __init__(self, word):
        self.__word = word.lower()
        self.guessed = set()

    def guess(self, letter):
        if not (isinstance(letter, str) and len(letter) == 1 and letter.isalpha()):
            raise ValueError("one letter, please, not %r" % (letter,))
        if letter in self.guessed:
            raise ValueError("%s was guessed before" % letter)
        self.guessed.add(letter)
        return self.__word.count(letter)

    @property
    def missing(self):
        return set(self.__word) - self.guessed

    @property
    def wrong(self):
        return self.guessed - set(self.__word)

    def __str__(self):
        return "".join(c if c in self.guessed else "_" for c in self.__word)

    def __len__(self):
        return len(self.__word)

    def __bool__(self):
        return bool(self.missing)

    def __getattr__(self, name):
        # hidden.is_a asks whether "a" was guessed
        if name.startswith("is_") and len(name) == 4:
            return name[-1] in self.guessed
        raise AttributeError(f"{type(self).__name__!r} has no {name!r}")


def by_frequency():
    """Always the commonest letters of the language."""
    yield
    for letter in "etaoinshrdlcumwfgypbvkjxqz":
        yield letter


def with_dictionary(words):
    """Knows the list of words and learns from what is shown."""
    shown, wrong, tried = yield
    while True:
        fitting = [w for w in words if len(w) == len(shown)
                   and not wrong & set(w)
                   and all(s == c if s != "_" else c not in tried for s, c in zip(shown, w))]
        counts = Counter(c for w in fitting for c in set(w) - tried)
        if counts:
            letter = min(counts, key=lambda c: (-counts[c], c))
        else:
            letter = next(c for c in "etaoinshrdlcumwfgypbvkjxqz" if c not in tried)
        shown, wrong, tried = yield letter


def play(word, player, lives=6, log=None):
    hidden = Hidden(word)
    next(player)
    while hidden and len(hidden.wrong) < lives:
        try:
            letter = player.send((str(hidden), hidden.wrong, frozenset(hidden.guessed)))
        except StopIteration:
            break
        hits = hidden.guess(letter)
        if log is not None:
            log.append(f"{letter}:{hits}")
    player.close()
    return not hidden, len(hidden.wrong)


GALLOWS = r"""
  +---+
  |   |
  O   |
 /|\  |
 / \  |
      |
=======
"""


def picture(wrong):
    parts = iter([(3, 2), (4, 2), (4, 1), (4, 3), (5, 1), (5, 3)])
    rows = [list(line) for line in GALLOWS.split("\n")]
    for i, (r, c) in enumerate(parts):
        if i >= wrong:
            rows[r][c] = " "
    return "\n".join("".join(row).rstrip() for row in rows)


log = []
won, wrong = play("parrot", with_dictionary(WORDS), log=log)
assert won and wrong <= 2, log
assert sum(int(entry[2:]) for entry in log) == 6
results = {w: play(w, with_dictionary(WORDS)) for w in WORDS}
assert all(won for won, _ in results.values())
naive = {w: play(w, by_frequency()) for w in WORDS}
assert sum(won for won, _ in naive.values()) < len(WORDS)
assert sum(n for _, n in results.values()) < sum(n for _, n in naive.values())
assert play("zzz", with_dictionary(WORDS))[0] is False

h = Hidden("Banana")
assert h.guess("a") == 3 and str(h) == "_a_a_a" and h.is_a and not h.is_b and len(h) == 6
assert h.missing == {"b", "n"} and h.guess("x") == 0 and h.wrong == {"x"} and bool(h)
for bad in ("a", "ab", "", "5", None):
    try:
        h.guess(bad)
    except ValueError as e:
        print(e)
    else:
        raise AssertionError(bad)
try:
    h.word
except AttributeError as e:
    assert "has no 'word'" in str(e)
assert not hasattr(h, "__word") and getattr(h, "anything", "default") == "default"
assert picture(6).strip() == "\n".join(l.rstrip() for l in GALLOWS.strip().split("\n")) and "O" not in picture(0)
word = random.Random(13).choice(WORDS)
print(picture(results[word][1]), word, *log)
