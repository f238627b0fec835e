from random import Random
from collections import deque, namedtuple

Card = namedtuple("Card", "rank suit")
Card.__str__ = lambda self: f"{self.rank}{self.suit}"
Card.value = property(lambda self: 10 if self.rank in "JQK" or self.rank == "10" else 11 if self.rank == "A" else int(self.rank))


class Deck:
    ranks = [str(n) for n in range(2, 11)] + list("JQKA")
    suits = "♠ ♥ ♦ ♣".split()

    def __init__(self):
        self._cards = [Card(rank, suit) for suit in self.suits for rank in self.ranks]

    def __len__(self):
        return len(self._cards)

    def __getitem__(self, position):
        return self._cards[position]

    def __setitem__(self, position, card):
        self._cards[position] = card

    def pop(self):
        return self._cards.pop()


def score(hand):
    total, aces = sum(c.value for c in hand), sum(c.rank == "A" for c in hand)
    while total > 21 and aces:
        total -= 10
        aces -= 1
    return total


def play(deck):
    you, dealer = [deck.pop(), deck.pop()], [deck.pop(), deck.pop()]
    while score(you) < 16: you.append(deck.pop())
    if score(you) > 21: return "bust", you
    while score(dealer) < 17: dealer.append(deck.pop())
    s, d = score(you), score(dealer)
    return ("win" if d > 21 or s > d else "push" if s == d else "lose"), you


def war(seed, limit=5000):
    deck = Deck()
    rng = Random(seed)
    rng.shuffle(deck)
    a, b = deque(deck[:26]), deque(deck[26:])
    order = {r: i for i, r in enumerate(Deck.ranks)}
    for turn in range(limit):
        if not a or not b:
            return turn, "A" if a else "B"
        pile = []
        while True:
            if not a or not b: break
            x, y = a.popleft(), b.popleft()
            pile += [x, y]
            if order[x.rank] != order[y.rank]:
                rng.shuffle(pile)
                (a if order[x.rank] > order[y.rank] else b).extend(pile)
                break
            for _ in range(3):
                if len(a) > 1: pile.append(a.popleft())
                if len(b) > 1: pile.append(b.popleft())
    return limit, "draw"


d = Deck()
assert len(d) == 52 and str(d[0]) == "2♠" and d[12::13] == [Card("A", s) for s in Deck.suits] and Card("Q", "♥") in d
assert score([Card("A", "♠"), Card("A", "♥"), Card("9", "♠")]) == 21
rng = Random(12)
tally = {}
for _ in range(100):
    deck = Deck()
    rng.shuffle(deck)
    r, hand = play(deck)
    tally[r] = tally.get(r, 0) + 1
    assert (r == "bust") == (score(hand) > 21)
print(tally, war(3))
assert sum(tally.values()) == 100 and war(3) == war(3)
