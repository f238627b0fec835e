"""Edit distances, alignments and a small diff."""
import difflib
import textwrap
from enum import Enum
from functools import lru_cache
from typing import Iterator, List, Sequence, Tuple


class Op(Enum):
    KEEP = " "
    DROP = "-"
    ADD = "+"


def levenshtein(a: str, b: str) -> int:
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (x != y)))
        previous = current
    return previous[-1]


def damerau(a: str, b: str) -> int:
    @lru_cache(maxsize=None)
    def d(i: int, j: int) -> int:
        if min(i, j) == 0:
            return max(i, j)
        best = min(d(i - 1, j) + 1, d(i, j - 1) + 1, d(i - 1, j - 1) + (a[i - 1] != b[j - 1]))
        if i > 1 < j and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
            best = min(best, d(i - 2, j - 2) + 1)
        return best

    return d(len(a), len(b))


def jaro(s: str, t: str) -> float:
    if s == t:
        return 1.0
    reach = max(len(s), len(t)) // 2 - 1
    free = dict(enumerate(t))
    matched = []
    for i, c in enumerate(s):
        for j in range(max(0, i - reach), min(len(t), i + reach + 1)):
            if free.get(j) == c:
                matched.append((c, j))
                del free[j]
                break
    if not (m := len(matched)):
        return 0.0
    other = [t[j] for _, j in sorted(matched, key=lambda p: p[1])]
    swaps = sum(c != o for (c, _), o in zip(matched, other)) / 2
    return (m / len(s) + m / len(t) + (m - swaps) / m) / 3


def diff(a: Sequence[str], b: Sequence[str]) -> Iterator[Tuple[Op, str]]:
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            if a[i] == b[j]:
                lengths[i][j] = lengths[i + 1][j + 1] + 1
            else:
                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])
    i = j = 0
    while i < len(a) or j < len(b):
        if i < len(a) and j < len(b) and a[i] == b[j]:
            yield Op.KEEP, a[i]
            i, j = i + 1, j + 1
        elif j == len(b) or (i < len(a) and lengths[i + 1][j] >= lengths[i][j + 1]):
            yield Op.DROP, a[i]
            i += 1
        else:
            yield Op.ADD, b[j]
            j += 1


def patch(script: List[Tuple[Op, str]], want: Op) -> List[str]:
    return [line for op, line in script if op in (Op.KEEP, want)]


OLD = textwrap.dedent("""\
    The quick brown fox
    jumps over
    the lazy dog
    and runs away
""").splitlines()
NEW = [*OLD[:1], "leaps over", OLD[2], "while it sleeps", OLD[3]]


def test_distances():
    assert levenshtein("kitten", "sitting") == 3
    assert levenshtein("rosettacode", "raisethysword") == 8
    assert levenshtein("", "abc") == 3 == levenshtein("abc", "")
    assert damerau("ca", "abc") == 3 and damerau("teh", "the") == 1 < levenshtein("teh", "the")
    assert round(jaro("MARTHA", "MARHTA"), 3) == 0.944 and jaro("abc", "xyz") == 0.0
    assert f"{jaro('DIXON', 'DICKSONX'):.4f}" == "0.7667"


def test_diff():
    script = list(diff(OLD, NEW))
    assert patch(script, Op.DROP) == OLD and patch(script, Op.ADD) == NEW
    assert "".join(op.value for op, _ in script) == " -+ + "
    print("\n".join(f"{op.value} {line}" for op, line in script))
    theirs = [line for line in difflib.ndiff(OLD, NEW) if not line.startswith("?")]
    assert sorted(theirs) == sorted(f"{op.value} {line}" for op, line in script)


def test_library():
    assert difflib.get_close_matches("appel", ["ape", "apple", "peach"])[0] == "apple"
    assert difflib.SequenceMatcher(None, "abcd", "bcde").ratio() == 0.75


test_distances()
test_diff()
test_library()
