"""Find many words at once."""
from __future__ import annotations
from collections import deque
from typing import Iterable, Iterator, NamedTuple


class Match(NamedTuple):
    start: int
    word: str

    @property
    def end(self) -> int:
        return self.start + len(self.word)

    def __str__(self) -> str:
        return f"{self.word}@{self.start}..{self.end}"


class State:
    def __init__(self, depth: int = 0):
        self.goto: dict[str, State] = {}
        self.fail: State | None = None
        self.output: list[str] = []
        self.depth = depth

    def follow(self, letter: str) -> State:
        state = self
        while letter not in state.goto:
            if state.fail is None:
                return state
            state = state.fail
        return state.goto[letter]


class Automaton:
    def __init__(self, words: Iterable[str]):
        self.root = State()
        for word in words:
            state = self.root
            for letter in word:
                state = state.goto.setdefault(letter, State(state.depth + 1))
            state.output.append(word)
        self._link()

    def _link(self) -> None:
        queue = deque()
        for child in self.root.goto.values():
            child.fail = self.root
            queue.append(child)
        while queue:
            state = queue.popleft()
            for letter, child in state.goto.items():
                child.fail = state.fail.follow(letter)
                child.output += child.fail.output
                queue.append(child)

    def find(self, text: str) -> Iterator[Match]:
        state = self.root
        for i, letter in enumerate(text):
            state = state.follow(letter)
            yield from (Match(i - len(word) + 1, word) for word in state.output)

    def mask(self, text: str, cover: str = "*") -> str:
        letters = list(text)
        for match in self.find(text):
            letters[match.start:match.end] = cover * len(match.word)
        return "".join(letters)

    def leftmost_longest(self, text: str) -> list[Match]:
        chosen, edge = [], 0
        for match in sorted(self.find(text), key=lambda m: (m.start, -m.end)):
            if match.start >= edge:
                chosen.append(match)
                edge = match.end
        return chosen


def test_find():
    machine = Automaton(["he", "she", "his", "hers"])
    assert [str(m) for m in machine.find("ushers")] == ["she@1..4", "he@2..4", "hers@2..6"]
    assert list(machine.find("xyz")) == []


def test_mask():
    machine = Automaton({"darn", "heck"})
    assert machine.mask("oh heck, darning is hard") == "oh ****, ****ing is hard"
    assert machine.mask("fine", cover="#") == "fine"


def test_longest():
    machine = Automaton("a ab bc bca c caa".split())
    assert machine.leftmost_longest("abccab") == [Match(0, "ab"), Match(2, "c"), Match(3, "c"), Match(4, "ab")]


def test_same_as_counting():
    text = "".join("abc"[n * n % 3 ^ n % 2] for n in range(200))
    words = ["ab", "ba", "abb", "aab", "bbb", "a"]
    found = list(Automaton(words).find(text))
    for word in words:
        places = [i for i in range(len(text)) if text[i:].startswith(word)]
        assert [m.start for m in found if m.word == word] == places


if __name__ == "__main__":
    for name, test in sorted(globals().copy().items()):
        if name.startswith("test_"):
            test()
            print(name)
