"""Mastermind: the code maker, the code breaker, and the game between them."""
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import product
import random
import typing as t

COLOURS = "RGBYOP"
LENGTH = 4


class Score(t.NamedTuple):
    black: int
    white: int

    def __str__(self) -> str:
        return "x" * self.black + "o" * self.white or "-"


@cache
def score(secret: str, guess: str) -> Score:
    black = sum(map(str.__eq__, secret, guess))
    common = sum(min(secret.count(c), guess.count(c)) for c in set(guess))
    return Score(black, common - black)


class CodeMaker:
    def __init__(self, secret: str) -> None:
        if len(secret) != LENGTH or not set(secret) <= set(COLOURS):
            raise ValueError(f"not a code: {secret}")
        self.__secret = secret
        self.guesses: list[str] = []

    def __call__(self, guess: str) -> Score:
        self.guesses.append(guess)
        return score(self.__secret, guess)


class Breaker(t.Protocol):
    def next_guess(self) -> str: ...

    def learn(self, guess: str, result: Score) -> None: ...


class Consistent:
    """Guesses anything that agrees with all answers so far."""

    def __init__(self, rng: random.Random | None = None) -> None:
        self.rng = rng or random.Random()
        self.candidates = ["".join(code) for code in product(COLOURS, repeat=LENGTH)]

    def next_guess(self) -> str:
        return self.rng.choice(self.candidates)

    def learn(self, guess: str, result: Score) -> None:
        self.candidates = [c for c in self.candidates if score(c, guess) == result]


class Minimax(Consistent):
    """Guesses what leaves the fewest candidates in the worst case."""

    opening: t.ClassVar[str] = "RRGG"

    def next_guess(self) -> str:
        if len(self.candidates) == len(COLOURS) ** LENGTH:
            return self.opening

        def worst(guess: str) -> int:
            parts: dict[Score, int] = defaultdict(int)
            for candidate in self.candidates:
                parts[score(candidate, guess)] += 1
            return max(parts.values())

        return min(self.candidates[:8], key=worst)


@dataclass
class Game:
    maker: CodeMaker
    breaker: Breaker
    limit: int = 10

    def play(self) -> t.Iterator[tuple[str, Score]]:
        for _ in range(self.limit):
            guess = self.breaker.next_guess()
            result = self.maker(guess)
            yield guess, result
            if result.black == LENGTH:
                return
            self.breaker.learn(guess, result)
        raise TimeoutError("too many guesses")


def main() -> None:
    assert score("RGBY", "RGBY") == (4, 0)
    assert score("RGBY", "YBGR") == (0, 4)
    assert score("RRGB", "GRRR") == (1, 2)
    assert str(score("RRRR", "RRGG")) == "xx" and str(score("RRRR", "GGGG")) == "-"
    for secret in ("OPOP", "RGBY"):
        game = Game(CodeMaker(secret), Minimax())
        moves = list(game.play())
        for i, (guess, result) in enumerate(moves, start=1):
            print(f"{i}. {guess} {result}")
        assert moves[-1] == (secret, Score(4, 0)) and len(moves) <= 7
        assert [g for g, _ in moves] == game.maker.guesses
    lucky = Game(CodeMaker("BBBB"), Consistent(random.Random(6)))
    assert len([*lucky.play()]) <= 9
    try:
        CodeMaker("ABCD")
    except ValueError as e:
        assert "ABCD" in str(e)
    try:
        list(Game(CodeMaker("PPPP"), Minimax(), limit=1).play())
    except TimeoutError:
        pass
    else:
        raise AssertionError


main()
