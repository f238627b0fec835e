"""Search by chance: a genetic algorithm, simulated annealing, hill climbing, all seeded."""
import math
import random
from abc import ABC, abstractmethod
from functools import cached_property
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import ClassVar, Generic, TypeVar

G = TypeVar('G')


class Individual(ABC, Generic[G]):
    rng: ClassVar[random.Random] = random.Random(0)

    def __init__(self, genes: G):
        self.genes = genes

    @cached_property
    @abstractmethod
    def fitness(self) -> float: ...

    @classmethod
    @abstractmethod
    def create(cls): ...

    @abstractmethod
    def mutate(self, rate): ...

    @abstractmethod
    def __mul__(self, other):
        """A child of two."""

    def __lt__(self, other):
        return self.fitness < other.fitness


class Phrase(Individual[str]):
    TARGET = 'ME THINKS'
    ALPHABET = ' ABCDEFGHIJKLMNOPQRSTUVWXYZ'

    @cached_property
    def fitness(self):
        return sum(a == b for a, b in zip(self.genes, self.TARGET))

    @classmethod
    def create(cls):
        return cls(''.join(cls.rng.choices(cls.ALPHABET, k=len(cls.TARGET))))

    def mutate(self, rate):
        return type(self)(''.join(self.rng.choice(self.ALPHABET) if self.rng.random() < rate else c for c in self.genes))

    def __mul__(self, other):
        cut = self.rng.randrange(len(self.genes))
        return type(self)(self.genes[:cut] + other.genes[cut:])


class Knapsack(Individual[tuple]):
    ITEMS = [(12, 4), (2, 2), (1, 1), (4, 10), (1, 2), (7, 9), (3, 5)]  # weight, value
    LIMIT = 15

    @cached_property
    def fitness(self):
        weight, value = (sum(x) for x in zip(*((w * g, v * g) for g, (w, v) in zip(self.genes, self.ITEMS))))
        return value if weight <= self.LIMIT else self.LIMIT - weight

    @classmethod
    def create(cls):
        return cls(tuple(cls.rng.randint(0, 1) for _ in cls.ITEMS))

    def mutate(self, rate):
        return self.__class__(tuple(g ^ (self.rng.random() < rate) for g in self.genes))

    def __mul__(self, other):
        return self.__class__(tuple(map(self.rng.choice, zip(self.genes, other.genes))))


def evolve(kind, *, size=40, generations=80, elite=2, rate=0.05, goal=math.inf):
    population = [kind.create() for _ in range(size)]
    history = []
    for generation in range(generations):
        population.sort(reverse=True)
        history.append(population[0].fitness)
        if population[0].fitness >= goal:
            break

        def pick(k=3):
            return max(kind.rng.sample(population, k), key=attrgetter('fitness'))

        population = population[:elite] + [(pick() * pick()).mutate(rate) for _ in range(size - elite)]
    return max(population), history


def anneal(state, energy, neighbour, *, rng, start=2.0, cooling=0.995, steps=1500):
    best = current = state
    e_best = e_current = energy(state)
    temperature = start
    for _ in range(steps):
        candidate = neighbour(current, rng)
        e = energy(candidate)
        if e < e_current or rng.random() < math.exp((e_current - e) / temperature):
            current, e_current = candidate, e
            if e < e_best:
                best, e_best = current, e
        temperature *= cooling
    return best, e_best


def tour_length(cities):
    return sum(math.dist(a, b) for a, b in pairwise([*cities, cities[0]]))


def two_opt(tour, rng):
    i, j = sorted(rng.sample(range(len(tour) + 1), 2))
    return tour[:i] + tour[i:j][::-1] + tour[j:]


def queens_conflicts(rows):
    return sum(abs(rows[i] - rows[j]) in (0, j - i) for i in range(len(rows)) for j in range(i + 1, len(rows)))


def move_queen(rows, rng):
    new = list(rows)
    a, b = rng.sample(range(len(new)), 2)
    new[a], new[b] = new[b], new[a]
    return tuple(new)


def golden_section(f, lo, hi, tolerance=1e-6):
    phi = (math.sqrt(5) - 1) / 2
    while hi - lo > tolerance:
        a, b = hi - phi * (hi - lo), lo + phi * (hi - lo)
        lo, hi = (lo, b) if f(a) < f(b) else (a, hi)
    return (lo + hi) / 2


def hill_climb(f, x, step=1.0):
    while step > 1e-6:
        better = max((x - step, x, x + step), key=f)
        if better == x:
            step /= 2
        x = better
    return x


def main():
    Individual.rng = random.Random(7)
    best, history = evolve(Phrase, goal=len(Phrase.TARGET))
    assert best.genes == 'ME THINKS', (best.genes, history)
    assert list(accumulate(history, max)) == history
    print(f'found in {len(history)} generations')
    sack, _ = evolve(Knapsack, generations=15, size=30, rate=0.1)
    exact = max(Knapsack(tuple(n >> i & 1 for i in range(7))).fitness for n in range(128))
    assert sack.fitness == exact == 26, (sack.fitness, exact)
    try:
        Individual((1, 2))
    except TypeError as e:
        assert 'abstract' in str(e)

    rng = random.Random(3)
    circle = [(math.cos(t), math.sin(t)) for t in (2 * math.pi * k / 10 for k in range(10))]
    shuffled = rng.sample(circle, k=len(circle))
    tour, length = anneal(shuffled, tour_length, two_opt, rng=rng, cooling=0.98, steps=600)
    assert sorted(tour) == sorted(circle) and length <= tour_length(shuffled)
    assert math.isclose(length, tour_length(circle), rel_tol=0.05)
    board, conflicts = anneal(tuple(range(8)), queens_conflicts, move_queen, rng=rng, steps=1200)
    assert conflicts == 0 and sorted(board) == list(range(8)), (board, conflicts)
    assert math.isclose(golden_section(lambda x: (x - 2) ** 2, 0, 5), 2, abs_tol=1e-4)
    assert math.isclose(hill_climb(lambda x: -abs(x - 3.25), 0.0), 3.25, abs_tol=1e-4)


if __name__ == '__main__':
    main()
