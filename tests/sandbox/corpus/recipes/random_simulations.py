"""Seeded random: simulations, bootstrapping, shuffles, weighted choice."""
import random
from collections import Counter
from heapq import heapify, heapreplace
from itertools import accumulate, combinations
from random import Random
from statistics import fmean
from bisect import bisect


class Deck:
    suits = '♠♥♦♣'
    ranks = '23456789TJQKA'

    def __init__(self, seed=None):
        self._rng = Random(seed)
        self.cards = [r + s for s in self.suits for r in self.ranks]

    def shuffle(self):
        self._rng.shuffle(self.cards)
        return self

    def deal(self, n):
        hand, self.cards = self.cards[:n], self.cards[n:]
        return hand


class LCG(Random):
    """A Random whose bits come from a linear congruential generator."""

    def seed(self, a=0, version=2):
        self._x = int(a or 0)

    def random(self):
        self._x = (1664525 * self._x + 1013904223) % 2**32
        return self._x / 2**32

    def getstate(self):
        return self._x

    def setstate(self, state):
        self._x = state


def weighted(rng, table):
    names, weights = zip(*table.items())
    cum = list(accumulate(weights))
    return names[bisect(cum, rng.random() * cum[-1])]


def bootstrap(data, rng, n=100):
    means = sorted(fmean(rng.choices(data, k=len(data))) for _ in range(n))
    return means[n // 20], means[-n // 20]


def permutation_test(a, b, rng, n=500):
    observed = fmean(a) - fmean(b)
    combined = a + b
    hits = 0
    for _ in range(n):
        rng.shuffle(combined)
        if fmean(combined[:len(a)]) - fmean(combined[len(a):]) >= observed:
            hits += 1
    return hits / n


def queue_simulation(rng, customers=200, servers_count=3):
    average_arrival, average_service = 5.6, 15.0
    waits, arrival = [], 0.0
    servers = [0.0] * servers_count
    heapify(servers)
    for _ in range(customers):
        arrival += rng.expovariate(1.0 / average_arrival)
        next_free = servers[0]
        wait = max(0.0, next_free - arrival)
        waits.append(wait)
        heapreplace(servers, arrival + wait + max(0.0, rng.gauss(average_service, 3.5)))
    return fmean(waits)


def monte_carlo_pi(rng, n=4000):
    inside = sum(rng.random() ** 2 + rng.random() ** 2 <= 1 for _ in range(n))
    return 4 * inside / n


def reservoir(stream, k, rng):
    kept = []
    for i, item in enumerate(stream):
        if i < k:
            kept.append(item)
        elif (j := rng.randrange(i + 1)) < k:
            kept[j] = item
    return kept


def main():
    a, b = Random(7), Random(7)
    assert [a.random() for _ in range(5)] == [b.random() for _ in range(5)]
    assert Random(42).randint(1, 100) == 82
    random.seed(3)
    state = random.getstate()
    first = [random.choice('abc') for _ in range(10)]
    random.setstate(state)
    assert first == [random.choice('abc') for _ in range(10)]

    deck = Deck(1).shuffle()
    hands = [deck.deal(5) for _ in range(4)]
    assert len(deck.cards) == 32 and len({c for h in hands for c in h}) == 20
    assert Deck(1).shuffle().cards[:5] == hands[0]

    lcg = LCG(5)
    saved = lcg.getstate()
    x = lcg.uniform(10, 20)
    lcg.setstate(saved)
    assert 10 <= x <= 20 and lcg.uniform(10, 20) == x
    assert 0 <= lcg.randrange(7) < 7

    rng = Random(2024)
    tally = Counter(weighted(rng, {'gold': 1, 'silver': 3, 'tin': 6}) for _ in range(3000))
    assert [k for k, _ in tally.most_common()] == ['tin', 'silver', 'gold']
    spins = rng.choices(['red', 'black', 'green'], [18, 18, 2], k=60)
    assert len(spins) == 60 and set(spins) <= {'red', 'black', 'green'}
    assert sorted(rng.sample(range(10**9), k=3)) and len(set(rng.sample('abcdef', 6))) == 6
    assert len(rng.sample(['a', 'b'], counts=[5, 5], k=10)) == 10

    data = [41, 50, 29, 37, 81, 30, 73, 63, 20, 35, 68, 22, 60, 31, 95]
    lo, hi = bootstrap(data, rng)
    assert lo < fmean(data) < hi
    drug = [54, 73, 53, 70, 73, 68, 52, 65, 65]
    placebo = [54, 51, 58, 44, 55, 52, 42, 47, 58, 46]
    assert permutation_test(drug, placebo, rng) < 0.05
    assert queue_simulation(rng) >= 0
    assert abs(monte_carlo_pi(rng) - 3.14159) < 0.15
    assert len(set(reservoir(range(1000), 10, rng))) == 10
    birthdays = [rng.randrange(365) for _ in range(80)]
    assert any(p == q for p, q in combinations(birthdays, 2))
    assert 0 <= rng.betavariate(2, 3) <= 1 and 0 <= rng.triangular(0, 1, 0.5) <= 1
    assert rng.getrandbits(8) < 256 and len(rng.randbytes(4)) == 4


if __name__ == '__main__':
    main()
    print('simulated')
