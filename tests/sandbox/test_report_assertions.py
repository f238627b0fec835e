"""What a failing assertion says, case by case."""
# ruff: noqa: E501

from __future__ import annotations

import pytest

from tests.sandbox.judge_process import Judge

SETTING = """\
from collections import Counter, namedtuple
from dataclasses import dataclass
import math
x, y, text, xs, big = 1, 2, 'a', [3, -1, 4], [*range(100)]
def f(n): return n * 3
def g(n): return n + 5
@dataclass
class User:
    name: str
    age: int = 0
class Plain:
    def __init__(self, v): self.v = v
class Equal(Plain):
    def __eq__(self, other): return self.v == other.v
Point = namedtuple('Point', 'x y')
"""

SHORT = {
    # Both sides, and every call and name in them.
    "assert f(x) == g(y) + 1": "3 == 8, where f(x) is 3, g(y) + 1 is 8, x is 1, g(y) is 7 and y is 2",
    "assert f(x) == 4": "3 == 4, where f(x) is 3 and x is 1",
    "assert 1 == 2": "1 == 2",
    "assert xs[x + 1] == xs[0]": "4 == 3, where xs[x + 1] is 4, xs[0] is 3, xs is [3, -1, 4] and x is 1",
    "assert User('Ann').name == 'Bob'": "'Ann' == 'Bob', where User('Ann').name is 'Ann' and User('Ann') is User(name='Ann', age=0)",
    "assert text.upper() == 'B'": "'A' == 'B', where text.upper() is 'A' and text is 'a'",
    "assert len(xs) > 3": "3 > 3, where len(xs) is 3 and xs is [3, -1, 4]",
    "assert math.floor(2.5) == 3": "2 == 3, where math.floor(2.5) is 2",
    "assert max(xs, key=lambda n: -n) == 4": "-1 == 4, where max(xs, key=lambda n: -n) is -1 and xs is [3, -1, 4]",
    "assert (f(x) if y else g(x)) == 4": "3 == 4, where f(x) if y else g(x) is 3, y is 2, f(x) is 3 and x is 1",
    "assert (z := f(x)) == 4": "3 == 4, where z is 3 and x is 1",
    "assert f'{x}' == '2'": "'1' == '2', where f'{x}' is '1'",
    # The words of the author come first.
    "assert x > y, 'too small'": "too small: 1 > 2, where x is 1 and y is 2",
    "assert x > y, f'{x} is too small'": "1 is too small: 1 > 2, where x is 1 and y is 2",
    "assert False, 'never'": "never",
    "assert False": "reached `assert False`",
    "check(x > y, 'too small')": "too small",
    # Of several conditions, those that decided.
    "assert x == 1 and f(y) == 7": "6 == 7, where f(y) is 6 and y is 2",
    "assert x == 2 or y == 3": "1 == 2 or 2 == 3, where x is 1 and y is 2",
    "assert x == 1 and (x == 2 or not y)": "1 == 2 or not 2, where x is 1 and y is 2",
    "assert 0 < x < f(x) < 3": "3 < 3, where f(x) is 3 and x is 1",
    "assert x > 5 > nowhere": "1 > 5, where x is 1",
    "assert f(x) == 4 if y else nowhere": "3 == 4, where f(x) is 3 and x is 1",
    "assert not x": "x is 1",
    "assert not x == 1": "not 1 == 1, where x is 1",
    "assert not (x == 1 and y)": "not (1 == 1 and 2), where x is 1 and y is 2",
    "assert not (x == 1 or nowhere)": "not 1 == 1, where x is 1",
    "assert isinstance(text, int)": "isinstance(text, int) is False, where text is 'a' (str)",
    "assert not isinstance(x, int)": "isinstance(x, int) is True, where x is 1 (int)",
    "assert text.isdigit()": "text.isdigit() is False, where text is 'a'",
    "assert xs.clear()": "xs.clear() is None, where xs is []",
    "assert x is None": "1 is None, where x is 1",
    "assert xs is [3, -1, 4]": "[3, -1, 4] is [3, -1, 4] (they are equal, but not the same object), where xs is [3, -1, 4]",
    "assert text in xs": "'a' in [3, -1, 4], where text is 'a' and xs is [3, -1, 4]",
    "assert x not in (y, x)": "1 not in (2, 1), where x is 1, (y, x) is (2, 1) and y is 2",
    # Of all(...) and any(...), the element that decided.
    "assert all(n > 0 for n in xs)": "all(n > 0 for n in xs) is False: -1 > 0, where n is -1 and xs is [3, -1, 4]",
    "assert not any(n < 0 for n in xs)": "any(n < 0 for n in xs) is True: -1 < 0, where n is -1 and xs is [3, -1, 4]",
    "assert any(n > 9 for n in xs)": "any(n > 9 for n in xs) is False, where xs is [3, -1, 4]",
    "assert all(n and n > 3 for n in [4, 0])": "all(n and n > 3 for n in [4, 0]) is False: n is 0",
    "assert all(a < b for a in xs for b in [a + 1, 0])": "all(a < b for a in xs for b in [a + 1, 0]) is False: 3 < 0\nwhere a is 3\n      b is 0\n      xs is [3, -1, 4]",
    # What can't be seen in the values.
    "assert 0.1 + 0.2 == 0.3": "0.30000000000000004 == 0.3 (they differ by 5.55e-17)",
    "assert math.nan == math.nan": "nan == nan (nan equals nothing, not even itself), where math.nan is nan",
    "assert 'abc' == b'abc'": "'abc' == b'abc' (text and bytes are never equal)",
    "assert 'Hello' == 'hello'": "'Hello' == 'hello' (they differ only in case)",
    "assert 'a b' == 'a  b'": "'a b' == 'a  b' (they differ only in whitespace)",
    "assert Plain(1) == Plain(1)": "<Plain object> == <Plain object> (Plain defines no __eq__, so every object equals itself only)",
    "assert Equal(1) == Equal(2)": "<Equal object> == <Equal object> (at .v: 1 != 2)",
    "assert 10 ** 5000 == 10 ** 5000 + 1": "<int of about 5000 digits> == <int of about 5000 digits> (they differ by 1)",
}

LONG = {
    "lists differ at an index": (
        "assert big == big[:57] + [0] + big[58:]",
        """\
at [57]: 57 != 0
   [… 56 more, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, … 25 more]
== [… 56 more, 56, 0, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, … 24 more]
where big is the left side
      big[:57] + [0] + big[58:] is the right side""",
    ),
    "one list is longer": (
        "assert [*big] == [*range(95)]",
        "only on the left, from [95] on: 95, 96, 97, 98, 99\n",
    ),
    "the same items in another order": (
        "assert big == big[::-1]",
        "at [0]: 0 != 99\nboth have the same items, in another order\n",
    ),
    "sets": (
        "assert set(big) == {*range(2, 101)}",
        "only on the left: 0, 1\nonly on the right: 100\n",
    ),
    "a set that should be a part": (
        "assert set(big) <= {*range(99)}",
        "only on the left: 99\n",
    ),
    "dicts": (
        "assert {'a': big, 'b': 1, 'c': 1} == {'a': [*big, 1], 'c': 2, 'd': 1}",
        "at ['a']: only on the right, from [100] on: 1\nonly on the left: 'b'\nonly on the right: 'd'\ndifferent as well: ['c']\n",
    ),
    "nested": (
        """\
users = {'users': [User(c) for c in 'abc'] + [User('Ann', 3)]}
assert users == {'users': [User(c) for c in 'abc'] + [User('Bob', 4)]}
""",
        "at ['users'][3].name: 'Ann' != 'Bob'\nat ['users'][3]: different as well: .age\n",
    ),
    "a dataclass": (
        "assert User('Ann Example', 1) == User('Ann Example', 2)",
        "User(name='Ann Example', age=1) == User(name='Ann Example', age=2)\nat .age: 1 != 2\n",
    ),
    "a named tuple": (
        "assert Point(10 ** 15, 10 ** 15) == Point(10 ** 15, 10 ** 15 + 1)",
        "at .y: 1000000000000000 != 1000000000000001\n",
    ),
    "a counter": (
        "assert Counter('aabbccdd' * 3) == Counter('aabbccd' * 3)",
        "at ['d']: 6 != 3\n",
    ),
    "a long text": (
        "assert 'lorem ipsum ' * 20 == 'lorem ipsum ' * 12 + 'dolor ' * 16",
        """\
first difference at character 144
   …'ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum '… (240 characters)
== …'ipsum lorem ipsum lorem ipsum dolor dolor dolor dolor dolor dolor dolor dolor dolor dolor '… (240 characters)""",
    ),
    "lines of text": (
        "assert '\\n'.join('abcdefghij' * 3) == '\\n'.join('abcdefghij' * 2 + 'abXcdefghi')",
        """\
first difference on line 23 (- left, + right):
  a
  b
+ X
  c
""",
    ),
    "a line that ends in a space": (
        "assert 'the first line of it\\nsecond\\n' == 'the first line of it\\nsecond \\n'",
        "first difference on line 2 (- left, + right):\n  the first line of it\n- second\n+ 'second '\n",
    ),
    "bytes": (
        "assert b'abc' * 50 == b'abc' * 49 + b'abd'",
        "first difference at byte 149",
    ),
    "what looks alike": (
        "assert 'caf\\u00e9' == 'cafe\\u0301'",
        "character 3 is U+00E9 LATIN SMALL LETTER E WITH ACUTE on the left, U+0065 LATIN SMALL LETTER E on the right",
    ),
    "where it is": (
        "assert 'needle' not in 'hay ' * 90 + 'needle' + ' hay' * 90",
        "it is at [360]\n       'needle'\nnot in …'",
    ),
    "long ints": (
        "assert 10 ** 150 == 10 ** 150 + 7",
        "they differ by 7\n",
    ),
    "only what they look like": (
        """\
class Long:
    def __init__(self, tail): self.tail = tail
    def __repr__(self): return 'x' * 300 + self.tail
    def __eq__(self, other): return False
class Longer(Long):
    pass
assert Long('a') == Longer('b')
""",
        "first difference in how they look: …",
    ),
}


@pytest.mark.parametrize("code", SHORT)
def test_what_is_short_is_said_on_one_line(judge: Judge, code: str) -> None:
    outcome = judge("F = 1", SETTING + code)
    assert outcome.message == SHORT[code]
    assert (outcome.verdict, outcome.line) == ("failed", SETTING.count("\n") + 1)


@pytest.mark.parametrize("name", LONG)
def test_of_long_values_the_first_difference_is_told_first(judge: Judge, name: str) -> None:
    code, expected = LONG[name]
    outcome = judge("F = 1", SETTING + code)
    assert outcome.verdict == "failed"
    assert expected in outcome.message
    assert max(map(len, outcome.message.split("\n"))) <= 140


SCOPES = {
    "a function": "def h():\n    n = 1\n    assert f(n) == 4\nh()",
    "a function in a function": "def h():\n    n = 1\n    def i():\n        assert f(n) == 4\n    i()\nh()",
    "a method": "class A:\n    def h(self, n=1):\n        assert f(n) == 4\nA().h()",
    "a class body": "class A:\n    n = 1\n    assert f(n) == 3\n    assert f(n) == 4",
    "an enum's body": "import enum\nclass A(enum.Enum):\n    n = 1\n    assert f(n) == 4",
    "a generator": "def h(n):\n    yield\n    assert f(n) == 4\nlist(h(1))",
    "an except clause": "n = 1\ntry:\n    {}[0]\nexcept KeyError:\n    assert f(n) == 4",
    "a loop": "for n in [0, 1]:\n    assert f(n) == 4 * n",
}


@pytest.mark.parametrize("scope", SCOPES)
def test_values_are_told_in_every_scope(judge: Judge, scope: str) -> None:
    outcome = judge("F = 1", SETTING + SCOPES[scope])
    assert outcome.message.split("\n")[0].startswith("3 == 4, where f(n) is 3"), outcome


def test_an_assertion_in_a_class_leaves_no_member_behind(judge: Judge) -> None:
    code = """
import enum
class A(enum.Enum):
    n = 1
    assert n == 1
class B:
    n = 1
    assert [n] == [1]
check([member.name for member in A] == ['n'])
check([name for name in vars(B) if not name.startswith('__')] == ['n'])
"""
    assert judge("F = 1", code).message == ""


def test_to_user_code_the_error_is_the_one_that_python_raises(judge: Judge) -> None:
    code = """
caught = []
try:
    assert 1 == 2
except AssertionError as error:
    caught.append((error.args, str(error)))
try:
    assert 1 == 2, ('why', 3)
except AssertionError as error:
    caught.append((error.args, str(error)))
check(caught == [((), ''), ((('why', 3),), "('why', 3)")], caught)
"""
    assert judge("F = 1", code).message == ""


HOSTILE = {
    "a repr that fails": "def __repr__(self): raise KeyError",
    "a repr that ends the run": "def __repr__(self): raise BaseException",
    "a repr of 10 MB": "def __repr__(self): return 'x' * 10 ** 7",
    "a repr that is no plain text": "def __repr__(self): return Liar('lie')",
    "a repr without an end": "def __repr__(self): return repr(self)",
    "an equality that fails": "def __eq__(self, other): raise_from_the_second_time()",
    "an equality that changes its mind": "def __eq__(self, other): return not first_time()",
}


@pytest.mark.parametrize("method", HOSTILE)
def test_no_method_of_a_value_changes_the_verdict(judge: Judge, method: str) -> None:
    code = f"""
class Liar(str):
    def __len__(self): return 10 ** 9
    def __getitem__(self, index): return self
    def __str__(self): raise ValueError
    def __format__(self, how): raise ValueError
times = []
def first_time():
    times.append(1)
    return len(times) == 1
def raise_from_the_second_time():
    if not first_time(): raise BaseException
class Odd:
    {HOSTILE[method]}
assert [Odd()] == [Odd()], Liar('words')
"""
    outcome = judge("F = 1", code)
    assert outcome.verdict == "failed"
    assert "Odd" in outcome.message or "[" in outcome.message
    assert len(outcome.message) <= 2_000


def test_a_value_that_contains_itself_is_told(judge: Judge) -> None:
    assert (
        judge("F = 1", "x = [1]\nx.append(x)\nassert x == 3").message
        == "[1, […]] == 3, where x is [1, […]]"
    )


def test_memory_that_ends_while_a_message_is_made_changes_no_verdict(judge: Judge) -> None:
    code = "class A:\n    def __repr__(self): return 'x' * 10 ** 10\nassert A() == 1"
    outcome = judge("F = 1", code)
    assert outcome.verdict == "failed"
    assert outcome.message.startswith("<A, whose repr fails> == 1")


def test_a_message_that_says_little_does_not_hide_what_was_found(judge: Judge) -> None:
    outcome = judge("F = 1", "assert [1] * 99 == [2], 'no! ' * 1000")
    assert outcome.message.startswith("no! no! ")
    assert "at [0]: 1 != 2" in outcome.message
    assert len(outcome.message) <= 2_000
