from dataclasses import dataclass, field, asdict, astuple, replace, fields, FrozenInstanceError, KW_ONLY
from random import Random
from typing import List, ClassVar
import json

RANKS = '2 3 4 5 6 7 8 9 10 J Q K A'.split()
SUITS = '♣ ♢ ♡ ♠'.split()


@dataclass(frozen=True, order=True)
class Card:
    sort_index: int = field(init=False, repr=False)
    rank: str
    suit: str

    def __post_init__(self):
        object.__setattr__(self, 'sort_index', RANKS.index(self.rank) * len(SUITS) + SUITS.index(self.suit))

    def __str__(self):
        return f'{self.suit}{self.rank}'


def make_french_deck():
    return [Card(r, s) for s in SUITS for r in RANKS]


@dataclass
class Deck:
    cards: List[Card] = field(default_factory=make_french_deck)

    def __repr__(self):
        cards = ', '.join(f'{c!s}' for c in self.cards)
        return f'{self.__class__.__name__}({cards})'

    def deal(self, n):
        hand, self.cards = self.cards[:n], self.cards[n:]
        return hand


@dataclass
class Position:
    name: str
    lon: float = field(default=0.0, metadata={'unit': 'degrees'})
    lat: float = field(default=0.0, metadata={'unit': 'degrees'})


@dataclass
class Capital(Position):
    country: str = 'Unknown'
    lat: float = 40.0


@dataclass(slots=True)
class Point3D:
    x: float
    y: float
    _: KW_ONLY
    z: float = 0
    dims: ClassVar[int] = 3


deck = Deck()
assert len(deck.cards) == 52
Random(4).shuffle(deck.cards)
hand = deck.deal(5)
print(Deck(sorted(hand)))
assert len(deck.cards) == 47 and not set(hand) & set(deck.cards)
assert Card('A', '♠') > Card('2', '♣') and max(make_french_deck()) == Card('A', '♠')
try:
    hand[0].rank = '3'
except FrozenInstanceError as e:
    print('frozen:', e)

oslo = Capital('Oslo', 10.8, 59.9, 'Norway')
print(oslo, Capital('Madrid', country='Spain'))
assert asdict(oslo) == {'name': 'Oslo', 'lon': 10.8, 'lat': 59.9, 'country': 'Norway'}
assert json.loads(json.dumps(asdict(oslo))) == asdict(oslo)
assert fields(Position)[2].metadata['unit'] == 'degrees'
assert replace(oslo, name='Kristiania').lat == 59.9
assert [f.name for f in fields(Capital)] == ['name', 'lon', 'lat', 'country']
p = Point3D(1, 2, z=3)
assert astuple(p) == (1, 2, 3) and p == Point3D(1, 2, z=3)
match p:
    case Point3D(x=1, z=depth):
        assert depth == 3
try:
    Point3D(1, 2, 3)
except TypeError as e:
    print(e)
try:
    p.w = 3
except AttributeError:
    print('slots')
assert Point3D.__match_args__ == ('x', 'y')
assert Position.__dataclass_fields__['lon'].default == 0.0
