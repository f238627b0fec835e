"""Random choices of many kinds, all from seeded generators."""
import heapq
import math
import random
from collections import Counter
from itertools import accumulate, islice
from bisect import bisect


class Dice(random.Random):
    """A generator that also knows how to roll."""

    def roll(self, spec):
        n, _, rest = spec.partition("d")
        sides, sign, bonus = rest.partition("+")
        total = sum(self.randint(1, int(sides)) for _ in range(int(n or 1)))
        return total + int(bonus) if sign else total


def reservoir(stream, k, rng):
    kept = []
    for i, item in enumerate(stream):
        if i < k:
            kept.append(item)
        elif (j := rng.randrange(i + 1)) < k:
            kept[j] = item
    return kept


def weighted_reservoir(pairs, k, rng):
    return [item for _, item in heapq.nlargest(k, ((rng.random() ** (1 / w), x) for x, w in pairs))]


def shuffled(items, rng):
    items = list(items)
    for i in range(len(items) - 1, 0, -1):
        j = rng.randint(0, i)
        items[i], items[j] = items[j], items[i]
    return items


class Wheel:
    def __init__(self, weights, rng):
        self.__names = list(weights)
        self.__edges = list(accumulate(weights.values()))
        self.__rng = rng

    def __call__(self):
        return self.__names[bisect(self.__edges, self.__rng.random() * self.__edges[-1])]

    def __iter__(self):
        return iter(self, object())


class LCG:
    def __init__(self, seed):
        self.state = seed

    def __iter__(self):
        return self

    def __next__(self):
        self.state = (1103515245 * self.state + 12345) % 2**31
        return self.state


def monte_carlo_pi(n, rng):
    return 4 * sum(math.hypot(rng.random(), rng.random()) <= 1 for _ in range(n)) / n


def box_muller(rng):
    while True:
        u, v = 1 - rng.random(), rng.random()
        r = math.sqrt(-2 * math.log(u))
        yield r * math.cos(math.tau * v)
        yield r * math.sin(math.tau * v)


rng = Dice(2024)

picked = Counter(x for _ in range(2000) for x in reservoir(range(10), 3, rng))
assert sum(picked.values()) == 6000 and all(500 < n < 700 for n in picked.values())
assert reservoir("ab", 5, rng) == ["a", "b"]

heavy = Counter(weighted_reservoir([("a", 1), ("b", 9)], 1, rng)[0] for _ in range(1000))
assert 850 < heavy["b"] < 950

perms = Counter("".join(shuffled("abc", rng)) for _ in range(3000))
assert len(perms) == 6 and min(perms.values()) > 400

wheel = Wheel({"red": 18, "black": 18, "green": 1}, rng)
spins = Counter(islice(wheel, 3700))
assert spins["green"] < 200 < 1600 < spins["red"] and set(spins) == {"red", "black", "green"}

assert list(islice(LCG(0), 3)) == [12345, 1406932606, 654583775]
assert 3.0 < monte_carlo_pi(5000, rng) < 3.3
normal = list(islice(box_muller(rng), 4000))
assert abs(sum(normal)) / 4000 < 0.06
assert all(5 <= rng.roll("2d6+3") <= 15 for _ in range(50)) and 1 <= rng.roll("d20") <= 20

state = rng.getstate()
first = [rng.random() for _ in range(5)], rng.choices("xyz", weights=[1, 2, 3], k=4), rng.sample(range(100), 6)
rng.setstate(state)
assert first == ([rng.random() for _ in range(5)], rng.choices("xyz", weights=[1, 2, 3], k=4), rng.sample(range(100), 6))
assert random.Random(5).random() == random.Random(5).random()
print(picked.most_common(2), f"{spins['red'] / spins['green']:.1f}")
