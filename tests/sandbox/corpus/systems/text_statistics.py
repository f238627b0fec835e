'''Markov chains, tf-idf search, readability, and ciphers broken by letter frequency.'''
import math
import random
import re
from collections import Counter, defaultdict
from itertools import pairwise
from string import ascii_lowercase, punctuation

DOCS = {
    'cats': 'The cat sat on the mat. The cat ate the rat. A cat is a small animal that sleeps.',
    'dogs': 'The dog chased the cat. A dog is a loyal animal. Dogs bark at the mail man.',
    'space': 'The rocket flew to the moon. A rocket burns fuel. The moon is far from the sun.',
    'food': 'Bread and cheese is a small meal. The man ate the bread, and the dog ate the cheese.',
}
STOP = frozenset('a an and at from is of on that the to'.split())


def tokens(text):
    return [w for w in (w.strip(punctuation) for w in text.lower().split()) if w]


class Markov:
    START, END = object(), object()

    def __init__(self, order=1):
        self.order = order
        self.table = defaultdict(Counter)

    def feed(self, text):
        for sentence in re.split(r'(?<=[.!?])\s+', text):
            seq = [self.START] * self.order + sentence.split() + [self.END]
            for i in range(len(seq) - self.order):
                *state, nxt = seq[i:i + self.order + 1]
                self.table[tuple(state)][nxt] += 1
        return self

    def generate(self, rng, limit=50):
        state, out = (self.START,) * self.order, []
        while len(out) < limit:
            options = self.table[state]
            word, = rng.choices(list(options), weights=options.values())
            if word is self.END:
                break
            out.append(word)
            state = *state[1:], word
        return ' '.join(out)

    def probability(self, sentence):
        seq = [self.START] * self.order + sentence.split() + [self.END]
        p = 1.0
        for i in range(self.order, len(seq)):
            options = self.table.get(tuple(seq[i - self.order:i]), Counter())
            p *= options[seq[i]] / max(1, options.total())
        return p


class Index:
    def __init__(self, docs):
        self.docs = {name: Counter(t for t in tokens(text) if t not in STOP) for name, text in docs.items()}
        self.df = Counter(t for counts in self.docs.values() for t in counts)
        self.vectors = {name: self.vector(counts) for name, counts in self.docs.items()}

    def idf(self, term):
        return math.log((1 + len(self.docs)) / (1 + self.df[term])) + 1

    def vector(self, counts):
        raw = {t: (1 + math.log(n)) * self.idf(t) for t, n in counts.items()}
        norm = math.hypot(*raw.values()) or 1
        return {t: x / norm for t, x in raw.items()}

    @staticmethod
    def cosine(u, v):
        return sum(x * v.get(t, 0.0) for t, x in u.items())

    def search(self, query, n=2):
        q = self.vector(Counter(tokens(query)))
        ranked = sorted(((self.cosine(q, v), name) for name, v in self.vectors.items()), reverse=True)
        return [name for score, name in ranked[:n] if score > 0]

    def keywords(self, name, n=2):
        return [t for t, _ in sorted(self.vectors[name].items(), key=lambda tx: (-tx[1], tx[0]))[:n]]


def jaccard(a, b):
    a, b = set(tokens(a)), set(tokens(b))
    return len(a & b) / len(a | b)


def syllables(word):
    word = word.lower().removesuffix('e')
    return max(1, len(re.findall('[aeiouy]+', word)))


def flesch(text):
    ws, sentences = tokens(text), max(1, len(re.findall('[.!?]', text)))
    return 206.835 - 1.015 * len(ws) / sentences - 84.6 * sum(map(syllables, ws)) / len(ws)


def caesar(text, shift):
    k = shift % 26
    table = str.maketrans(ascii_lowercase, ascii_lowercase[k:] + ascii_lowercase[:k])
    return text.lower().translate(table)


def crack(ciphertext, sample):
    """Find the shift that makes the letters most like those of the sample."""
    expected = Counter(filter(str.isalpha, sample.lower()))
    total = expected.total()

    def score(shift):
        return sum(math.log((expected[c] + 1) / total) for c in caesar(ciphertext, -shift) if c.isalpha())
    return max(range(26), key=score)


def entropy(text):
    counts, n = Counter(text), len(text)
    return -sum(c / n * math.log2(c / n) for c in counts.values())


everything = ' '.join(DOCS.values())
m = Markov().feed(everything)
a, b = m.generate(random.Random(5)), m.generate(random.Random(5))
assert a == b and m.probability(a) > 0 and m.probability('moon the on') == 0
print(a)
assert all(y in m.table[x,] for x, y in pairwise(a.split()))
assert Markov(2).feed(everything).generate(random.Random(1)).split()[0] in {'The', 'A', 'Dogs', 'Bread'}

index = Index(DOCS)
assert index.search('rocket to the moon') == ['space']
assert index.search('loyal dog')[0] == 'dogs' and index.search('cat')[0] == 'cats' and index.search('zebra') == []
assert index.keywords('space') == ['moon', 'rocket']
assert all(math.isclose(index.cosine(v, v), 1) for v in index.vectors.values())
assert index.idf('cat') < index.idf('rocket')
assert jaccard('a b c', 'B C d!') == 0.5
assert flesch('The cat sat.') > flesch('Incomprehensibility characterizes institutional documentation.')
secret = caesar(DOCS['food'], 11)
assert secret != DOCS['food'] and crack(secret, everything) == 11 and caesar(secret, -11) == DOCS['food'].lower()
assert entropy('aaaa') == 0 and entropy('abcd') == 2 and round(entropy('hello'), 3) == 1.922
assert [syllables(w) for w in ('cat', 'table', 'banana', 'rhythm')] == [1, 1, 3, 1]
