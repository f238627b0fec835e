"""Programs that want too much: each ends in its verdict, in time, and the pool goes on."""
# ruff: noqa: E501, ISC004

from __future__ import annotations

import base64
import sys
import time
import zlib

import pytest

from runner.sandbox import Limits, Pool
from tests.patience import PATIENCE_SECONDS
from tests.sandbox.conftest import program_alone, program_testing

TIGHT = Limits(cpu_ms=300, wall_ms=1_500, memory_bytes=64 * 1024 * 1024, output_bytes=20_000)
# On top of what is allowed: for ending and clearing away, and for other programs of this machine.
CPU_SLACK_US = 200_000
CLOCK_SLACK_SECONDS = PATIENCE_SECONDS

TIME = {"time_limit"}
MEMORY = {"memory_limit"}
OUTPUT = {"output_limit"}
ERROR = {"error"}
# Before Python 3.12 a text couldn't stand in a text of the same quotes.
OLD = sys.version_info < (3, 12)
CRASHED = {"crashed"}

COMPUTING = {
    "a catastrophic pattern": ("import re\nre.match('(a+)+$', 'a' * 40 + 'b')", TIME),
    "a power of a power": ("10 ** 10 ** 8", TIME | MEMORY),
    "a factorial": ("import math\nmath.factorial(10 ** 7)", TIME | MEMORY),
    "a sum of a huge range": ("sum(range(10 ** 12))", TIME),
    "a key that never returns": (
        "def key(x):\n    while True: pass\nsorted([2, 1], key=key)",
        TIME,
    ),
    "a comparison that never returns": (
        "class X:\n    def __lt__(self, other):\n        while True: pass\nsorted([X(), X()])",
        TIME,
    ),
    "a comparison that changes the list": (
        "x = []\nclass X:\n    def __lt__(self, other):\n        x.extend([X()] * 10)\n        return False\n"
        "x += [X(), X()]\nwhile True:\n    try:\n        x.sort()\n    except ValueError:\n        pass",
        TIME | MEMORY,
    ),
    "an equality that never returns": (
        "class X:\n    def __eq__(self, other):\n        while True: pass\n    def __hash__(self):\n"
        "        return 1\n{X(), X()}",
        TIME,
    ),
    "a hash that never returns": (
        "class X:\n    def __hash__(self):\n        while True: pass\n{X(): 1}",
        TIME,
    ),
    "hashes that collide": ("{i * (2 ** 61 - 1): 0 for i in range(10 ** 6)}", TIME | MEMORY),
    "swallowing all that is raised": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        TIME,
    ),
    "raising all the time": (
        "while True:\n    try:\n        raise ValueError\n    except BaseException: pass",
        TIME,
    ),
    "a sum of lists": ("sum([[0]] * 10 ** 6, [])", TIME | MEMORY),
    "sleeping forever": ("import time\ntime.sleep(10 ** 6)", TIME),
    "an endless iterator": ("import itertools\nfor _ in itertools.count(): pass", TIME),
    "an endless search": ("import itertools\n-1 in itertools.count()", TIME),
}
CONVERTING = {
    "digits into a number": ("int('9' * 10 ** 6)", ERROR),
    "a number into digits": ("str(1 << 10 ** 7)", ERROR),
    "a number into digits by format": ("f'{1 << 10 ** 7}'", ERROR),
    "a wide field": ("f'{1:1000000000}'", MEMORY),
    "a wide field of old": ("'%1000000000d' % 1", MEMORY),
    "a field beyond counting": ("format(1, '9' * 30)", ERROR),
}
GROWING = {
    "a string multiplied": ("'x' * 10 ** 11", MEMORY),
    "a list multiplied": ("[0] * 10 ** 11", MEMORY),
    "a number shifted": ("1 << 10 ** 12", MEMORY | ERROR),
    "a list that grows": ("x = []\nwhile True: x.append('x' * 10 ** 6)", MEMORY),
    "many small things": ("x = [[] for _ in range(10 ** 9)]", MEMORY | TIME),
    "many small numbers": ("x = list(range(10 ** 9))", MEMORY),
    "a dictionary that grows": ("x = {}\nwhile True: x[len(x)] = [0] * 1000", MEMORY | TIME),
    "a bytearray that grows": ("x = bytearray()\nwhile True: x += bytes(10 ** 6)", MEMORY),
    "a string that grows": ("x = 'x'\nwhile True: x += x", MEMORY),
    "a deque that grows": (
        "from collections import deque\nx = deque()\nwhile True: x.extend([0] * 10 ** 6)",
        MEMORY,
    ),
    "an array that grows": (
        "from array import array\nx = array('q')\nwhile True: x.extend([0] * 10 ** 5)",
        MEMORY | TIME,
    ),
    "a counter that grows": (
        "from collections import Counter\nx = Counter()\nn = 0\n"
        "while True:\n    x.update(range(n, n + 10 ** 5))\n    n += 10 ** 5",
        MEMORY | TIME,
    ),
    "an endless join": ("import itertools\n''.join(itertools.repeat('x' * 1000))", MEMORY),
    "a product of ranges": (
        "import itertools\nlist(itertools.product(range(1000), repeat=10))",
        MEMORY | TIME,
    ),
    "an endless list": ("list(iter(int, 1))", MEMORY | TIME),
    "memory errors swallowed": (
        "x = []\nwhile True:\n    try:\n        x.append('x' * 10 ** 6)\n    except MemoryError: pass",
        MEMORY | TIME,
    ),
    "a swallowed memory error": (
        "try:\n    x = 'x' * 10 ** 11\nexcept BaseException:\n    pass\nwhile True: pass",
        MEMORY | TIME,
    ),
    "a cache that grows": (
        "from functools import lru_cache\n@lru_cache(None)\ndef f(n): return 'x' * 10 ** 6 + str(n)\n"
        "n = 0\nwhile True:\n    f(n)\n    n += 1",
        MEMORY,
    ),
}
# From Python 3.14 on, the stack itself is the limit of what calls itself in C, and it goes deep.
DEEP = ERROR if sys.version_info < (3, 14) else ERROR | TIME | {"passed"}
RECURSING = {
    "a function": ("def f(): f()\nf()", ERROR),
    "a representation of a nest": ("x = []\nfor _ in range(10 ** 5): x = [x]\nrepr(x)", DEEP),
    "a representation of its own": (
        "class X:\n    def __repr__(self): return repr(self)\nrepr(X())",
        ERROR,
    ),
    "comparing nests": (
        "x, y = [], []\nfor _ in range(10 ** 5): x, y = [x], [y]\nx == y",
        DEEP,
    ),
    "a chain of generators": (
        "def g(x): yield from x\nx = [1]\nfor _ in range(50_000): x = g(x)\nlist(x)",
        DEEP | CRASHED | MEMORY | TIME,
    ),
    "a nest of maps": (
        "x = [1]\nfor _ in range(400_000): x = map(abs, x)\nlist(x)",
        CRASHED | MEMORY | TIME,
    ),
    "a nest of chains": (
        "import itertools\nx = [1]\nfor _ in range(400_000): x = itertools.chain(x)\nlist(x)",
        CRASHED | MEMORY | TIME,
    ),
    "a nest of patterns": ("import re\nre.compile('(' * 5_000 + ')' * 5_000)", ERROR | TIME),
    "nested JSON": ("import json\njson.loads('[' * 10 ** 5)", ERROR),
}
WRITING = {
    "ten megabytes": ("print('x' * 10 ** 7)", OUTPUT),
    "a million lines": ("for n in range(10 ** 6): print(n)", OUTPUT),
    "a line without end": ("while True: print('x' * 100, end='')", OUTPUT),
    "a line without end, slowly": ("while True: print('x', end='')", OUTPUT),
    "nothing, forever": ("while True: print('', end='')", TIME),
}
MANY = 50_000
SOURCES = {
    "parentheses": ("(" * 100_000 + ")" * 100_000, ERROR),
    "lists in lists": ("[" * 10_000 + "]" * 10_000, ERROR),
    "calls in calls": ("abs(" * 150 + "1" + ")" * 150, ERROR | {"passed"}),
    "a long sum": ("1" + "+1" * MANY, ERROR),
    "a long sum of texts": ("''" + "+''" * MANY, ERROR),
    "signs": ("-" * 100_000 + "1", ERROR),
    "negations": ("not " * MANY + "1", ERROR),
    "functions of functions": ("lambda: " * 20_000 + "1", ERROR),
    "attributes of attributes": ("x = 1\nx" + ".real" * MANY, ERROR),
    "items of items": ("x = 1\nx" + "[0]" * MANY, ERROR),
    "calls of calls": ("abs" + "()" * MANY, ERROR),
    "powers of powers": ("1" + "**1" * MANY, ERROR),
    "conditions in conditions": ("1 if 1 else " * 15_000 + "1", ERROR),
    "alternatives": ("if 0: pass\n" + "elif 0: pass\n" * 15_000, ERROR),
    "assignments": ("x = " * MANY + "1", ERROR | TIME | {"passed"}),
    "decorators": ("@id\n" * MANY + "def f(): pass", ERROR | TIME | MEMORY | {"passed"}),
    "deep blocks": ("".join(f"{' ' * n}if 1:\n" for n in range(200)) + " " * 200 + "pass", ERROR),
    "texts in texts": ("f'{" * 100 + "1" + "}'" * 100, ERROR if OLD else {"passed"}),
    "formats in formats": ("f'" + "{1:" * 1_000 + "}" * 1_000 + "'", ERROR),
    "parentheses in a text": ("f'{" + "(" * 10_000 + ")" * 10_000 + "}'", ERROR),
    "a long number": ("x = " + "9" * 200_000, ERROR),
    "finally in finally": (
        "".join(f"{' ' * n}try: pass\n{' ' * n}finally:\n" for n in range(30)) + " " * 30 + "pass",
        TIME | MEMORY | ERROR,
    ),
    "loops in loops": ("[" + "0 " + "for _ in [0] " * 10_000 + "]", ERROR | TIME | {"passed"}),
    "patterns in patterns": (
        "match 1:\n case " + "[" * 150 + "]" * 150 + ": pass",
        ERROR | {"passed"},
    ),
    "a NUL": ("x = '\0'", ERROR),
    "half a character": ("x = '\ud800'", ERROR),
    "nothing but an encoding": ("# -*- coding: rot13 -*-\nprint(1)", ERROR | {"passed", "policy"}),
}
ALL = {
    f"{kind}: {name}": (source, verdicts)
    for kind, programs in {
        "computing": COMPUTING,
        "converting": CONVERTING,
        "growing": GROWING,
        "recursing": RECURSING,
        "writing": WRITING,
        "source": SOURCES,
    }.items()
    for name, (source, verdicts) in programs.items()
}


def check(pool: Pool, source: str, verdicts: set[str]) -> None:
    began = time.monotonic()
    outcome = pool.run(program_testing("F = 1", source, limits=TIGHT))
    elapsed = time.monotonic() - began
    print(f"{outcome.verdict} after {elapsed * 1000:.0f} ms, {outcome.cpu_us / 1000:.0f} computing")
    assert outcome.verdict.value in verdicts, outcome.message
    assert outcome.cpu_us <= TIGHT.cpu_ms * 1000 + CPU_SLACK_US
    assert elapsed <= TIGHT.wall_ms / 1000 + CLOCK_SLACK_SECONDS
    assert outcome.verdict.value == "passed" or outcome.message
    assert pool.run(program_testing("F = 1", "assert F == 1")).verdict.value == "passed"


@pytest.mark.parametrize("name", ALL)
def test_a_hostile_program_ends_in_its_verdict_and_the_pool_goes_on(pool: Pool, name: str) -> None:
    check(pool, *ALL[name])


def test_a_bomb_of_zeros_does_not_go_off(pool: Pool) -> None:
    bomb = base64.b85encode(zlib.compress(zlib.compress(bytes(160_000_000), 1), 9)).decode()
    assert len(bomb) < 20_000
    source = f"import base64, zlib\nbomb = base64.b85decode({bomb!r})\nzlib.decompress(zlib.decompress(bomb))"
    # The library has a message of its own, as an exception that somebody raises.
    check(pool, source, MEMORY | {"error"})


def test_deep_recursion_through_c_is_no_crash(bare_pool: Pool) -> None:
    code = """
import functools, sys
sys.setrecursionlimit(50_000)
@functools.lru_cache(None)
def count(n):
    return n and 1 + count(n - 1)
values["deep"] = count(20_000)
"""
    outcome = bare_pool.run(program_alone(code))
    # From 3.12 on, calls through C have a limit of their own, up to 3.13 a low one.
    if outcome.verdict.value == "error":
        assert sys.version_info >= (3, 12)
        assert "RecursionError" in outcome.message
    else:
        assert (outcome.verdict.value, outcome.value) == ("passed", {"deep": 20_000})
