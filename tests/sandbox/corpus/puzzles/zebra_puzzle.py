"""Who owns the zebra? A general little constraint solver with lambdas."""
from __future__ import annotations

from collections import defaultdict
from typing import Any, Callable, Hashable, Iterator


class CSP:
    def __init__(self) -> None:
        self.domains: dict[Hashable, list[Any]] = {}
        self.constraints: dict[Hashable, list[tuple[tuple, Callable[..., bool]]]] = defaultdict(list)
        self.visited = 0

    def variables(self, names: str, domain) -> list[str]:
        words = names.split()
        for name in words:
            self.domains[name] = list(domain)
        return words

    def require(self, *names: str) -> Callable:
        """Decorator: the function must hold for these variables."""
        unknown = [n for n in names if n not in self.domains]
        if unknown:
            raise NameError(f"unknown variables: {', '.join(unknown)}")

        def register(function: Callable[..., bool]) -> Callable[..., bool]:
            for name in names:
                self.constraints[name].append((names, function))
            return function

        return register

    def different(self, names) -> None:
        names = list(names)
        for i, a in enumerate(names):
            for b in names[i + 1:]:
                self.require(a, b)(lambda x, y: x != y)

    def _ok(self, name, chosen) -> bool:
        return all(
            f(*(chosen[n] for n in names))
            for names, f in self.constraints[name]
            if all(n in chosen for n in names)
        )

    def _prune(self, name, chosen, domains):
        """Forward checking of the rules with one open variable."""
        smaller = dict(domains)
        for names, f in self.constraints[name]:
            open_ = [n for n in names if n not in chosen]
            if len(open_) == 1:
                (other,) = open_
                smaller[other] = [
                    v for v in smaller[other] if f(*((chosen | {other: v})[n] for n in names))
                ]
                if not smaller[other]:
                    return None
        return smaller

    def solve(self, chosen=None, domains=None) -> Iterator[dict]:
        chosen = chosen or {}
        domains = self.domains if domains is None else domains
        if len(chosen) == len(self.domains):
            yield dict(chosen)
            return
        name = min((n for n in domains if n not in chosen), key=lambda n: len(domains[n]))
        for value in domains[name]:
            self.visited += 1
            attempt = {**chosen, name: value}
            if self._ok(name, attempt) and (smaller := self._prune(name, attempt, domains)) is not None:
                yield from self.solve(attempt, smaller)


def zebra() -> CSP:
    csp = CSP()
    groups = [csp.variables(names, range(1, 6)) for names in (
        "red green ivory yellow blue",
        "english spanish ukrainian norwegian japanese",
        "dog snails fox horse zebra",
        "coffee tea milk juice water",
        "chess piano hiking painting cooking",
    )]
    for group in groups:
        csp.different(group)
    same = lambda a, b: a == b
    for pair in ("english red", "spanish dog", "coffee green", "ukrainian tea", "chess snails",
                 "hiking yellow", "painting juice", "japanese cooking"):
        csp.require(*pair.split())(same)
    csp.require("green", "ivory")(lambda green, ivory: green == ivory + 1)
    csp.require("milk")(lambda milk: milk == 3)
    csp.require("norwegian")(lambda norwegian: norwegian == 1)
    csp.require("norwegian", "blue")(lambda norwegian, blue: abs(norwegian - blue) == 1)

    @csp.require("piano", "fox")
    @csp.require("hiking", "horse")
    def neighbours(a, b):
        return abs(a - b) == 1

    return csp


def australia() -> CSP:
    csp = CSP()
    csp.variables("wa nt sa q nsw v t", "rgb")
    for pair in "wa-nt wa-sa nt-sa nt-q sa-q sa-nsw sa-v q-nsw nsw-v".split():
        csp.different(pair.split("-"))
    return csp


if __name__ == "__main__":
    puzzle = zebra()
    solutions = list(puzzle.solve())
    assert len(solutions) == 1
    (answer,) = solutions
    people = {answer[n]: n for n in "english spanish ukrainian norwegian japanese".split()}
    print(f"zebra: {people[answer['zebra']]}, water: {people[answer['water']]}, {puzzle.visited} tries")
    assert people[answer["zebra"]] == "japanese" and people[answer["water"]] == "norwegian"
    assert answer["milk"] == 3 and answer["green"] - answer["ivory"] == 1
    assert puzzle.visited < 5000
    maps = list(australia().solve())
    assert len(maps) == 18 and all(m["sa"] != m["nt"] for m in maps)
    try:
        australia().require("wa", "nz")
    except NameError as e:
        assert str(e) == "unknown variables: nz"
    impossible = CSP()
    impossible.different(impossible.variables("a b c", [1, 2]))
    assert next(impossible.solve(), None) is None
