import math
import random
from collections import Counter, defaultdict
from itertools import accumulate
from operator import itemgetter

rng = random.Random(2024)


def estimate_pi(n):
    inside = 0
    for _ in range(n):
        x, y = rng.random(), rng.random()
        if x * x + y * y <= 1.0:
            inside += 1
    return 4.0 * inside / n


def monty_hall(switch, rounds=2000):
    wins = 0
    for _ in range(rounds):
        doors = ["goat", "goat", "car"]
        rng.shuffle(doors)
        pick = rng.randrange(3)
        opened = next(d for d in range(3) if d != pick and doors[d] == "goat")
        if switch:
            pick = ({0, 1, 2} - {pick, opened}).pop()
        wins += doors[pick] == "car"
    return wins / rounds


def birthday(people, trials=500):
    hits = 0
    for _ in range(trials):
        days = [rng.randint(1, 365) for _ in range(people)]
        if len(set(days)) < len(days):
            hits += 1
    return hits / trials


def random_walk(steps):
    moves = (rng.choice((1, -1, 1j, -1j)) for _ in range(steps))
    return list(accumulate(moves, initial=0j))


def gamblers_ruin(start, goal, p=0.5):
    money, rounds = start, 0
    while 0 < money < goal:
        money += 1 if rng.random() < p else -1
        rounds += 1
    return money == goal, rounds


def weighted_choice(weights):
    total = sum(weights.values())
    r = rng.uniform(0, total)
    for k, w in weights.items():
        if r < w:
            return k
        r -= w
    return k


def markov(text, n, order=2):
    table = defaultdict(list)
    for i in range(len(text) - order):
        table[text[i:i + order]].append(text[i + order])
    out = text[:order]
    while len(out) < n:
        options = table.get(out[-order:])
        if not options:
            break
        out += rng.choice(options)
    return out


pi = estimate_pi(20000)
print("pi ~ %.3f" % pi)
assert abs(pi - math.pi) < 0.05

stay, switch = monty_hall(False), monty_hall(True)
print(f"stay {stay:.1%}, switch {switch:.1%}")
assert 0.28 < stay < 0.39 and 0.61 < switch < 0.72

assert 0.42 < birthday(23) < 0.6
walks = [random_walk(100) for _ in range(60)]
rms = math.sqrt(sum(abs(w[-1]) ** 2 for w in walks) / len(walks))
assert 7 < rms < 13, rms
print("rms distance %.2f" % rms)
results = [gamblers_ruin(3, 10) for _ in range(300)]
assert 0.2 < sum(map(itemgetter(0), results)) / 300 < 0.4
weights = {"common": 8, "rare": 2}
c = Counter(weighted_choice(weights) for _ in range(1000))
assert c["common"] > 700 and c.total() == 1000
print(c.most_common(1)[0][0])
text = markov("the rain in spain stays mainly in the plain ", 60)
print(repr(text))
assert set(text) <= set("the rain in spain stays mainly in the plain ")
a, b = random.Random(1), random.Random(1)
assert [a.random() for _ in range(5)] == [b.random() for _ in range(5)]
state = a.getstate()
first = a.sample(range(100), 5)
a.setstate(state)
assert first == a.sample(range(100), 5)
assert sorted(random.Random(9).sample("abcdef", k=6)) == list("abcdef")
