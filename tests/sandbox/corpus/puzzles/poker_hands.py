"""Ranking poker hands."""
from collections import Counter
from enum import Enum, IntEnum, unique
from functools import total_ordering
from itertools import combinations
from random import Random


@unique
class Suit(Enum):
    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    @property
    def symbol(self):
        return dict(C="\u2663", D="\u2666", H="\u2665", S="\u2660")[self.value]


class Kind(IntEnum):
    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIRS = 2
    THREE = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR = 7
    STRAIGHT_FLUSH = 8

    def __str__(self):
        return self.name.replace("_", " ").lower()


class Card:
    RANKS = "23456789TJQKA"

    def __init__(self, text):
        rank, suit = text
        self.rank = self.RANKS.index(rank) + 2
        self.suit = Suit(suit.upper())

    def __eq__(self, other):
        return (self.rank, self.suit) == (other.rank, other.suit)

    def __hash__(self):
        return hash((self.rank, self.suit))

    def __str__(self):
        return self.RANKS[self.rank - 2] + self.suit.symbol


@total_ordering
class Hand:
    def __init__(self, cards):
        if isinstance(cards, str):
            cards = [Card(c) for c in cards.split()]
        self.cards = frozenset(cards)
        if len(self.cards) != 5:
            raise ValueError("a hand has five different cards")

    @property
    def score(self):
        counts = Counter(c.rank for c in self.cards)
        ranks = sorted(counts, key=lambda r: (counts[r], r), reverse=True)
        flush = len({c.suit for c in self.cards}) == 1
        if ranks == [14, 5, 4, 3, 2]:
            ranks = [5, 4, 3, 2, 1]
        straight = len(ranks) == 5 and ranks[0] - ranks[4] == 4
        match sorted(counts.values(), reverse=True):
            case _ if straight and flush:
                kind = Kind.STRAIGHT_FLUSH
            case [4, 1]:
                kind = Kind.FOUR
            case [3, 2]:
                kind = Kind.FULL_HOUSE
            case _ if flush:
                kind = Kind.FLUSH
            case _ if straight:
                kind = Kind.STRAIGHT
            case [3, *_]:
                kind = Kind.THREE
            case [2, 2, _]:
                kind = Kind.TWO_PAIRS
            case [2, *_]:
                kind = Kind.PAIR
            case _:
                kind = Kind.HIGH_CARD
        return kind, ranks

    @property
    def kind(self):
        return self.score[0]

    def __eq__(self, other):
        if not isinstance(other, Hand):
            return NotImplemented
        return self.score == other.score

    def __lt__(self, other):
        return self.score < other.score

    def __hash__(self):
        return hash(self.cards)

    def __str__(self):
        return " ".join(map(str, sorted(self.cards, key=lambda c: -c.rank)))


def best_of_seven(cards):
    return max(map(Hand, combinations(cards, 5)))


ORDERED = [
    "2C 3D 4H 5S 7C", "2C 3D 4H 6S 7C", "AC KD QH JS 9C", "2C 2D 3H 4S 5C", "AC AD 3H 4S 5C",
    "2C 2D 3H 3S 4C", "2C 2D 2H 3S 4C", "AC 2D 3H 4S 5C", "2C 3D 4H 5S 6C", "AC KD QH JS TC",
    "2C 3C 4C 5C 7C", "2C 2D 2H 3S 3C", "2C 2D 2H 2S 3C", "AH 2H 3H 4H 5H", "AS KS QS JS TS",
]

hands = [Hand(text) for text in ORDERED]
shuffled = hands[:]
Random(7).shuffle(shuffled)
assert sorted(shuffled) == hands
assert [h.kind.value for h in hands] == [0, 0, 0, 1, 1, 2, 3, 4, 4, 4, 5, 6, 7, 8, 8]
assert Hand("2C 3D 4H 5S 7C") == Hand("2D 3C 4S 5H 7D") and Hand("2C 3D 4H 5S 7C") != 7
assert hands[-1] >= hands[0] and not hands[0] > hands[1]
assert str(hands[-1]) == "A\u2660 K\u2660 Q\u2660 J\u2660 T\u2660" and str(hands[-1].kind) == "straight flush"

deck = [Card(r + s.value) for r in Card.RANKS for s in Suit]
assert len(set(deck)) == 52
seven = [Card(c) for c in "AC AD AH 2S 2C 3D 3H".split()]
assert best_of_seven(seven) == Hand("AC AD AH 3D 3H") and best_of_seven(seven).kind is Kind.FULL_HOUSE
rng = Random(52)
tally = Counter(Hand(rng.sample(deck, 5)).kind for _ in range(600))
assert min(tally[Kind.HIGH_CARD], tally[Kind.PAIR]) > 200 > tally[Kind.TWO_PAIRS] > tally[Kind.FOUR]
print(", ".join(f"{k}: {n}" for k, n in tally.most_common()))
for bad in ("2C 2C 3D 4D 5D", "2C 3C 4C 5C 6X", "2C"):
    try:
        Hand(bad)
    except ValueError as e:
        print(e)
    else:
        assert False, bad
