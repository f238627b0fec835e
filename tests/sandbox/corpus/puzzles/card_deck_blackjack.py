"""Blackjack with a seeded deck, played by strategies as plain functions."""

import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from typing import Callable, ClassVar, Literal

Rank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


@dataclass(frozen=True, order=True)
class Card:
    sort_index: int = field(init=False, repr=False)
    rank: Rank
    suit: str

    RANKS: ClassVar[tuple] = Rank.__args__
    SUITS: ClassVar[str] = "SHDC"

    def __post_init__(self):
        object.__setattr__(self, "sort_index", self.RANKS.index(self.rank) * 4 + self.SUITS.index(self.suit))

    @property
    def points(self) -> int:
        if self.rank == "A":
            return 11
        return int(self.rank) if self.rank.isdecimal() else 10

    def __str__(self) -> str:
        return f"{self.rank}{self.suit}"


class EmptyShoe(LookupError):
    pass


@dataclass
class Shoe:
    decks: int = 1
    rng: random.Random = field(default_factory=random.Random, repr=False)
    cards: list[Card] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.cards = [Card(r, s) for _ in range(self.decks) for r, s in product(Card.RANKS, Card.SUITS)]
        self.rng.shuffle(self.cards)

    def __len__(self) -> int:
        return len(self.cards)

    def deal(self) -> Card:
        try:
            return self.cards.pop()
        except IndexError:
            raise EmptyShoe("no cards left") from None


@dataclass
class Hand:
    cards: list[Card] = field(default_factory=list)

    def __iadd__(self, card: Card) -> "Hand":
        self.cards.append(card)
        return self

    @property
    def total(self) -> int:
        total = sum(c.points for c in self.cards)
        aces = sum(c.rank == "A" for c in self.cards)
        while total > 21 and aces:
            total -= 10
            aces -= 1
        return total

    @property
    def soft(self) -> bool:
        return self.total > sum(1 if c.rank == "A" else c.points for c in self.cards)

    blackjack = property(lambda self: len(self.cards) == 2 and self.total == 21)

    def __str__(self) -> str:
        return f"{' '.join(map(str, self.cards))} ({'soft ' * self.soft}{self.total})"


Strategy = Callable[[Hand, Card], bool]


def until(limit: int) -> Strategy:
    def strategy(hand: Hand, shown: Card) -> bool:
        return hand.total < limit

    strategy.__name__ = f"until_{limit}"
    return strategy


def careful(hand: Hand, shown: Card) -> bool:
    if hand.soft:
        return hand.total < 18
    return hand.total < (17 if shown.points >= 7 else 12)


def play(shoe: Shoe, strategy: Strategy) -> float:
    player, dealer = Hand(), Hand()
    for _ in range(2):
        player += shoe.deal()
        dealer += shoe.deal()
    if player.blackjack or dealer.blackjack:
        return 1.5 * (not dealer.blackjack) if player.blackjack else -1.0
    while player.total <= 21 and strategy(player, dealer.cards[0]):
        player += shoe.deal()
    if player.total > 21:
        return -1.0
    while dealer.total < 17:
        dealer += shoe.deal()
    if dealer.total > 21 or player.total > dealer.total:
        return 1.0
    return 0.0 if player.total == dealer.total else -1.0


def simulate(strategy: Strategy, rounds: int, seed: int) -> Counter:
    rng = random.Random(seed)
    results: Counter = Counter()
    shoe = Shoe(4, rng)
    for _ in range(rounds):
        if len(shoe) < 30:
            shoe = Shoe(4, rng)
        results[play(shoe, strategy)] += 1
    return results


hand = Hand([Card("A", "S"), Card("6", "H")])
assert str(hand) == "AS 6H (soft 17)" and hand.soft
hand += Card("K", "D")
assert hand.total == 17 and not hand.soft
assert Hand([Card("A", "S"), Card("J", "S")]).blackjack
assert min(Card("2", "C"), Card("A", "C"), Card("A", "H")) == Card("A", "H")
assert sorted(map(str, [Card("10", "S"), Card("9", "C")])) == ["10S", "9C"]
shoe = Shoe()
assert len({shoe.deal() for _ in range(52)}) == 52
try:
    shoe.deal()
except EmptyShoe as e:
    assert isinstance(e, LookupError) and e.__cause__ is None
means = {}
for strategy in (until(12), until(17), until(21), careful):
    results = simulate(strategy, 200, seed=21)
    assert results.total() == 200 and set(results) <= {-1.5, -1.0, 0.0, 1.0, 1.5}
    means[strategy.__name__] = sum(k * n for k, n in results.items()) / 200
    print(f"{strategy.__name__:>10}: {means[strategy.__name__]:+.3f}")
assert means["until_21"] < means["careful"]
