import re
from itertools import permutations
from math import prod


def solve(puzzle):
    "Column by column from the right, with carries: for sums only."
    *addends, total = re.findall("[A-Z]+", puzzle)
    words = [*addends, total]
    if max(map(len, addends)) > len(total):
        return
    first = {w[0] for w in words if len(w) > 1}
    columns = [[w[-i] for w in addends if len(w) >= i] for i in range(1, len(total) + 1)]

    def go(i, carry, known):
        if i == len(total):
            if carry == 0:
                yield known
            return
        free = [x for x in dict.fromkeys(columns[i]) if x not in known]
        for digits in permutations(set(range(10)) - {*known.values()}, len(free)):
            now = known | dict(zip(free, digits))
            more, digit = divmod(carry + sum(now[x] for x in columns[i]), 10)
            letter = total[-1 - i]
            if now.get(letter, digit) != digit or (letter not in now and digit in now.values()):
                continue
            now[letter] = digit
            if any(now.get(x) == 0 for x in first):
                continue
            yield from go(i + 1, more, now)

    yield from go(0, 0, {})


def by_weights(puzzle):
    "Any signs: every letter has a weight, and the weighted sum must be zero."
    weights = {}
    left, right = puzzle.replace(" ", "").split("=")
    for side, words in ((1, left), (-1, right)):
        for sign, word in re.findall(r"([+-]?)([A-Z]+)", words):
            for power, letter in enumerate(reversed(word)):
                weights[letter] = weights.get(letter, 0) + side * (-1 if sign == "-" else 1) * 10**power
    letters = sorted(weights, key=lambda x: -abs(weights[x]))
    no_zero = {w[0] for w in re.findall("[A-Z]{2,}", puzzle)}

    def go(i, total, used, chosen):
        if i == len(letters):
            if total == 0:
                yield dict(zip(letters, chosen))
            return
        rest = sum(abs(weights[x]) for x in letters[i:]) * 9
        if abs(total) > rest:
            return
        for d in range(letters[i] in no_zero, 10):
            if not used >> d & 1:
                yield from go(i + 1, total + d * weights[letters[i]], used | 1 << d, (*chosen, d))

    return go(0, 0, 0, ())


def fill(puzzle, answer):
    return puzzle.translate({ord(k): str(v) for k, v in answer.items()})


def holds(text):
    "Check a sum of plain numbers without evaluating text."
    left, right = text.replace("-", "+-").replace(" ", "").split("=")
    return sum(map(int, left.split("+"))) == sum(map(int, right.split("+")))


def pandigital_products():
    for p in permutations("123456789", 5):
        s = "".join(p)
        for a, b in ((s[:1], s[1:]), (s[:2], s[2:])):
            c = int(a) * int(b)
            if len(str(c)) == 4 and sorted(s + str(c)) == list("123456789"):
                yield int(a), int(b), c


def persistence(n):
    return 0 if n < 10 else 1 + persistence(prod(map(int, str(n))))


for puzzle, expected in {
    "SEND + MORE = MONEY": "9567 + 1085 = 10652",
    "TWO + TWO = FOUR": None,
    "BASE + BALL = GAMES": "7483 + 7455 = 14938",
    "SO + MANY + MORE + MEN = TOO": "impossible",
    "A + BB = CCC": "impossible",
}.items():
    answers = [fill(puzzle, a) for a in solve(puzzle)]
    assert all(holds(a) for a in answers)
    if expected == "impossible":
        assert answers == []
    elif expected:
        assert answers == [expected], answers
    else:
        assert len(answers) == 7 and "734 + 734 = 1468" in answers
    print(f"{puzzle:<30}{answers[0] if answers else '-'}")

assert [fill("TO + GO = OUT", a) for a in by_weights("TO + GO = OUT")] == ["21 + 81 = 102"]
assert sorted(fill("TWO - ONE = ONE", a) for a in by_weights("TWO - ONE = ONE")) == sorted(
    f"{t} - {o} = {o}" for o in range(100, 500) for t in [2 * o]
    if str(t)[2] == str(o)[0] and len(set(str(t) + str(o))) == 5
)
assert holds("9 - 4 = 2 + 3") and not holds("1 + 1 = 3")
found = {*pandigital_products()}
assert found >= {(4, 1738, 6952), (39, 186, 7254)} and sum({c for *_, c in found}) == 45228
assert [persistence(n) for n in (5, 10, 25, 39, 77, 679, 6788)] == [0, 1, 2, 3, 4, 5, 6]
