import random

SUITS = ["Hearts", "Spades", "Clubs", "Diamonds"]
VALUES = [None, None, "2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King", "Ace"]


class Card:
    def __init__(self, v, s):
        """suit and value are ints"""
        self.value = v
        self.suit = s

    def __lt__(self, c2):
        if self.value < c2.value:
            return True
        if self.value == c2.value:
            if self.suit < c2.suit:
                return True
            else:
                return False
        return False

    def __gt__(self, c2):
        return c2 < self

    def __repr__(self):
        return VALUES[self.value] + " of " + SUITS[self.suit]


class Deck:
    def __init__(self):
        self.cards = []
        for i in range(2, 15):
            for j in range(4):
                self.cards.append(Card(i, j))
        random.shuffle(self.cards)

    def rm_card(self):
        if len(self.cards) == 0:
            return
        return self.cards.pop()


class Player:
    def __init__(self, name):
        self.wins = 0
        self.card = None
        self.name = name


class Game:
    answers = ["Ann", "Bob"]

    def __init__(self):
        self.deck = Deck()
        self.p1 = Player(self.answers[0])
        self.p2 = Player(self.answers[1])
        self.rounds = 0

    def wins(self, winner):
        w = "{} wins this round"
        w = w.format(winner)
        if self.rounds % 10 == 0:
            print(w)

    def draw(self, p1n, p1c, p2n, p2c):
        d = "{} drew {}, {} drew {}"
        if self.rounds % 10 == 0:
            print(d.format(p1n, p1c, p2n, p2c))

    def play_game(self):
        cards = self.deck.cards
        print("beginning War!")
        while len(cards) >= 2:
            p1c = self.deck.rm_card()
            p2c = self.deck.rm_card()
            self.draw(self.p1.name, p1c, self.p2.name, p2c)
            if p1c > p2c:
                self.p1.wins += 1
                self.wins(self.p1.name)
            else:
                self.p2.wins += 1
                self.wins(self.p2.name)
            self.rounds += 1
        win = self.winner(self.p1, self.p2)
        print("War is over. {} wins {}-{}".format(win, self.p1.wins, self.p2.wins))

    def winner(self, p1, p2):
        if p1.wins > p2.wins:
            return p1.name
        if p1.wins < p2.wins:
            return p2.name
        return "It was a tie!"


random.seed(21)
game = Game()
game.play_game()
assert game.rounds == 26
assert game.p1.wins + game.p2.wins == 26
assert game.deck.rm_card() is None
assert max([Card(3, 1), Card(14, 0), Card(3, 3)]).value == 14
assert repr(Card(11, 0)) == "Jack of Hearts"
