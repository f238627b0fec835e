"""Ordinary Python works: every feature that people write, run under the policy."""
# ruff: noqa: E501

from __future__ import annotations

import pytest

from runner.sandbox import Verdict
from tests.sandbox.conftest import RunSource

FEATURES = {
    "f-strings": 'x = 3.14159\nassert f"{x:.2f} {x!r:>8} {{}} {x=:.1f}" == "3.14  3.14159 {} x=3.1"',
    "comprehensions": (
        "assert [a * b for a in range(3) for b in (1, 2) if a] == [1, 2, 2, 4]\n"
        "assert {k: v for k, v in zip('ab', (1, 2))} == {'a': 1, 'b': 2}\n"
        "assert {n % 3 for n in range(9)} == {0, 1, 2}\n"
        "assert sum(n for n in range(4)) == 6"
    ),
    "generators": (
        "def count(to):\n    n = 0\n    while n < to:\n        sent = yield n\n"
        "        n = sent if sent else n + 1\n"
        "def both():\n    yield from count(2)\n    yield from 'x'\n"
        "assert list(both()) == [0, 1, 'x']\n"
        "g = count(10)\nassert next(g) == 0 and g.send(5) == 5\ng.close()"
    ),
    "closures and nonlocal": (
        "def counter():\n    n = 0\n    def up():\n        nonlocal n\n        n += 1\n"
        "        return n\n    return up\nc = counter()\nc()\nassert c() == 2"
    ),
    "global": "total = 0\ndef add():\n    global total\n    total += 5\nadd()\nassert total == 5",
    "printing prettily": (
        "import pprint\nassert pprint.pprint([1, {'b': 2}], width=9) is None\npprint.pp({2: 1, 1: 2})"
    ),
    "namespaces": (
        "from types import SimpleNamespace as N\nn = N(a=1, b=[2])\nn.a += 1\n"
        "assert n == N(a=2, b=[2]) and repr(n) == 'namespace(a=2, b=[2])' and vars(n)['b'] == [2]"
    ),
    "walrus": "assert [y for x in range(5) if (y := x * 2) > 4] == [6, 8]",
    "augmented assignment of items": (
        "d = {'a': [1]}\nd['a'] += [2]\nd['n'] = 1\nd['n'] *= 7\nm = [[1, 2]]\nm[0][1] -= 5\n"
        "assert d == {'a': [1, 2], 'n': 7} and m == [[1, -3]]"
    ),
    "augmented assignment loads before it evaluates": (
        "t = [0]\ndef f():\n    t[0] += 10\n    return 1\nt[0] += f()\nassert t == [1]"
    ),
    "augmented assignment of attributes": (
        "class P:\n    n = 1\n    _q = 2\np = P()\np.n += 1\np._q <<= 3\nassert (p.n, p._q) == (2, 16)"
    ),
    "slices and deletion": (
        "a = list(range(6))\na[1:3] = ['x']\ndel a[0], a[-1]\nassert a == ['x', 3, 4] and a[::-1][0] == 4"
    ),
    "unpacking": (
        "first, *rest = 'abc'\n[x, (y, z)] = 1, (2, 3)\nd = {**{'a': 1}, 'b': 2}\n"
        "for i, (j, k) in enumerate([(1, 2)]):\n    pass\n"
        "assert (first, rest, y, d, [*rest, *d], k) == ('a', ['b', 'c'], 2, {'a': 1, 'b': 2}, ['b', 'c', 'a', 'b'], 2)"
    ),
    "arguments of every kind": (
        "def f(a, /, b=2, *args, c, d=4, **kw):\n    return (a, b, args, c, d, kw)\n"
        "assert f(1, 2, 3, *[9], c=0, **{'e': 5}) == (1, 2, (3, 9), 0, 4, {'e': 5})"
    ),
    "annotations": (
        "from __future__ import annotations\nfrom typing import Optional\nx: int = 1\ny: list[str]\n"
        "def f(a: int, *b: Optional[str]) -> dict[str, 'Unknown']:\n    z: float = a\n    return z\n"
        "assert f(x) == 1"
    ),
    "classes with operators": (
        "class V:\n    __slots__ = ('x',)\n    def __init__(self, x):\n        self.x = x\n"
        "    def __add__(self, o):\n        return V(self.x + o.x)\n    __radd__ = __add__\n"
        "    def __eq__(self, o):\n        return self.x == o.x\n    def __hash__(self):\n        return hash(self.x)\n"
        "    def __repr__(self):\n        return f'V({self.x})'\n    def __len__(self):\n        return self.x\n"
        "    def __getitem__(self, i):\n        return i\n    def __call__(self, n=0):\n        return self.x + n\n"
        "    def __iter__(self):\n        yield self.x\n    def __contains__(self, n):\n        return n == self.x\n"
        "v = V(1) + V(2)\nassert v == V(3) and repr(v) == 'V(3)' and len(v) == 3 and v[7] == 7 and v(1) == 4\n"
        "assert [*v] == [3] and 3 in v and len({V(1), V(1)}) == 1"
    ),
    "inheritance and super": (
        "class A:\n    def __init__(self, n):\n        self.n = n\n    @classmethod\n    def of(cls, n):\n        return cls(n)\n"
        "    @staticmethod\n    def two():\n        return 2\n    @property\n    def double(self):\n        return self.n * 2\n"
        "    @double.setter\n    def double(self, v):\n        self.n = v // 2\n"
        "class B(A):\n    def __init__(self, n):\n        super().__init__(n + 1)\n        self.__hidden = n\n"
        "    def hidden(self):\n        return self.__hidden + B.__total()\n    @staticmethod\n    def __total():\n        return 100\n"
        "b = B.of(1)\nb.double = 10\nassert (b.n, b.two(), b.hidden(), isinstance(b, A), b.__class__ is B, type(b) is B) == (5, 2, 101, True, True, True)"
    ),
    "dataclasses": (
        "from dataclasses import dataclass, field, replace, asdict\n@dataclass(order=True, frozen=True)\n"
        "class P:\n    x: int\n    y: 'int' = 0\n    tags: list[str] = field(default_factory=list, compare=False)\n"
        "assert P(1) < P(1, 2) and replace(P(1), x=4) == P(4) and asdict(P(1)) == {'x': 1, 'y': 0, 'tags': []}\n"
        'assert repr(P(1)) == "P(x=1, y=0, tags=[])"'
    ),
    "enums": (
        "from enum import Enum, IntEnum, auto, Flag\nclass C(Enum):\n    RED = auto()\n    BLUE = auto()\n"
        "    def next(self):\n        return C(self.value % 2 + 1)\n"
        "class N(IntEnum):\n    ONE = 1\nclass P(Flag):\n    R = auto()\n    W = auto()\n"
        "assert C.RED.next() is C.BLUE and C['RED'].name == 'RED' and N.ONE + 1 == 2 and [c.name for c in C] == ['RED', 'BLUE']\n"
        "assert (P.R | P.W) & P.W"
    ),
    "named tuples": (
        "from collections import namedtuple\nfrom typing import NamedTuple\nP = namedtuple('P', 'x y')\n"
        "class Q(NamedTuple):\n    a: int\n    b: str = 'z'\n"
        "p = P(1, 2)._replace(y=5)\nassert p == (1, 5) and p._asdict() == {'x': 1, 'y': 5} and Q(1).b == 'z' and Q._fields == ('a', 'b')"
    ),
    "match": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int\n"
        "def f(v):\n    match v:\n        case 0 | 1:\n            return 'small'\n        case [a, *rest] if rest:\n            return rest\n"
        "        case {'k': k, **more}:\n            return (k, more)\n        case P(x=0, y=n):\n            return n\n        case P(a, b):\n            return a + b\n"
        "        case str() as s:\n            return s\n        case None:\n            return 'none'\n        case _:\n            return 'other'\n"
        "assert [f(1), f([1, 2]), f({'k': 1, 'j': 2}), f(P(0, 9)), f(P(2, 3)), f('s'), f(None), f(2.5)] == ['small', [2], (1, {'j': 2}), 9, 5, 's', 'none', 'other']"
    ),
    "with": (
        "from contextlib import contextmanager, suppress, ExitStack\nlog_ = []\n"
        "class M:\n    def __enter__(self):\n        return self\n    def __exit__(self, kind, value, traceback):\n        log_.append(kind)\n        return True\n"
        "@contextmanager\ndef c():\n    log_.append(1)\n    try:\n        yield 2\n    finally:\n        log_.append(3)\n"
        "with M() as m, c() as n:\n    raise ValueError\nwith suppress(KeyError):\n    {}[1]\nassert log_ == [1, 3, ValueError]"
    ),
    "exceptions": (
        "class Mine(Exception):\n    pass\n"
        "def f(n):\n    try:\n        if n == 0:\n            raise Mine('x') from KeyError('y')\n        return 1 // (n - 1)\n"
        "    except Mine as error:\n        return str(error), type(error.__cause__)\n    except (ZeroDivisionError, TypeError):\n        return 'zero'\n    else:\n        return 'else'\n    finally:\n        f.seen = True\n"
        "f.seen = False\nassert f(0) == ('x', KeyError) and f(1) == 'zero' and f.seen"
    ),
    "decorators": (
        "from functools import wraps, lru_cache, partial, reduce, total_ordering, cached_property, singledispatch\n"
        "def twice(f):\n    @wraps(f)\n    def inner(*a):\n        return f(*a) * 2\n    return inner\n"
        "@twice\ndef g(x):\n    'doc'\n    return x\n@lru_cache(maxsize=None)\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
        "@singledispatch\ndef kind(x):\n    return 'any'\n@kind.register(int)\ndef _(x):\n    return 'int'\n"
        "@total_ordering\nclass T:\n    def __init__(self, n):\n        self.n = n\n    def __eq__(self, o):\n        return self.n == o.n\n    def __lt__(self, o):\n        return self.n < o.n\n    @cached_property\n    def big(self):\n        return self.n * 100\n"
        "assert g(4) == 8 and g.__name__ == 'g' and fib(80) == 23416728348467685 and partial(pow, 2)(5) == 32 and reduce(max, [1, 3, 2]) == 3\n"
        "assert T(2) >= T(1) and T(3).big == 300 and kind(1) == 'int' and kind('') == 'any'"
    ),
    "builtins": (
        "assert sorted([3, 1, 2], key=lambda n: -n) == [3, 2, 1] and list(zip('ab', [1, 2])) == [('a', 1), ('b', 2)]\n"
        "assert list(map(str, filter(None, [0, 1]))) == ['1'] and max([1, 5], default=0) == 5 and any([0, 1]) and all([])\n"
        "assert divmod(7, 2) == (3, 1) and format(255, '#x') == '0xff' and bin(5) == '0b101' and round(2.567, 1) == 2.6\n"
        "assert getattr([1], 'append') and hasattr('', 'upper') and not hasattr('', 'nope') and getattr(1, 'nope', 3) == 3\n"
        "assert isinstance(int, type) and type(1) is int and type('').__name__ == 'str' and issubclass(bool, int)\n"
        "assert bytes([1, 2]) == b'\\x01\\x02' and list(reversed(range(3))) == [2, 1, 0] and next(iter([]), 7) == 7 and callable(len)"
    ),
    "text": (
        "assert '%s-%05.2f' % ('a', 1.5) == 'a-01.50' and 'a,b'.split(',') == ['a', 'b'] and 'ß'.upper() == 'SS'\n"
        "assert 'x'.encode('utf-16') and 'é'.encode().decode() == 'é' and 'abc'.translate({97: 'z'}) == 'zbc'\n"
        "import re, string, textwrap, unicodedata\nassert re.sub(r'(\\w)(\\d)', lambda m: m[2] + m[1], 'a1 b2') == '1a 2b'\n"
        "assert string.Template('$a').substitute(a=1) == '1' and textwrap.shorten('aa bb cc', 6, placeholder='') == 'aa bb'\n"
        "assert unicodedata.normalize('NFD', 'é') != 'é'"
    ),
    "the standard library": (
        "import math, itertools, collections, datetime, json, decimal, fractions, statistics, heapq, bisect, random, copy, operator, struct, base64, hashlib, uuid, zlib, calendar, io, csv, graphlib, html, pprint, array, time\n"
        "assert math.isclose(math.tau, 2 * math.pi) and collections.Counter('aab').most_common(1) == [('a', 2)]\n"
        "assert datetime.datetime.strptime('2020-02-29', '%Y-%m-%d').isoformat() == '2020-02-29T00:00:00'\n"
        "assert json.loads(json.dumps({'a': [1, None]})) == {'a': [1, None]} and decimal.Decimal('0.1') * 3 == decimal.Decimal('0.3')\n"
        "decimal.getcontext().prec = 3\nassert str(decimal.Decimal(1) / 3) == '0.333' and fractions.Fraction(1, 3) * 3 == 1\n"
        "h = [3, 1]\nheapq.heapify(h)\nassert heapq.heappop(h) == 1 and bisect.bisect([1, 2], 1) == 1 and statistics.median([1, 9]) == 5\n"
        "assert copy.deepcopy([[1]]) == [[1]] and operator.itemgetter(1)('ab') == 'b' and struct.pack('<H', 1) == b'\\x01\\x00'\n"
        "assert hashlib.sha256(b'').hexdigest()[:4] == 'e3b0' and uuid.UUID(int=1).int == 1 and zlib.decompress(zlib.compress(b'x')) == b'x'\n"
        "assert list(csv.reader(io.StringIO('a,b'))) == [['a', 'b']] and list(graphlib.TopologicalSorter({1: [2]}).static_order()) == [2, 1]\n"
        "assert html.escape('<') == '&lt;' and pprint.pformat([1]) == '[1]' and list(itertools.pairwise('abc'))[1] == ('b', 'c')\n"
        "assert time.gmtime(0).tm_year == 1970 and calendar.isleap(2024) and random.Random(1).random() != random.random()\n"
        "collections.deque([1]).append(2)\nd = collections.defaultdict(list)\nd['a'].append(1)\na = array.array('i', [1])\na[0] = 5\nassert a[0] == 5"
    ),
    "writing to one's own": (
        "from types import SimpleNamespace\nclass C:\n    pass\nc = C()\nc.x = 1\nC.y = 2\nsetattr(c, 'z', 3)\ndel c.x\nn = SimpleNamespace(a=1)\nn.a = 5\n"
        "def f():\n    f.calls += 1\nf.calls = 0\nf()\nassert (c.y, c.z, n.a, f.calls, vars(c)) == (2, 3, 5, 1, {'z': 3})"
    ),
    "descriptors, abstract classes, generics": (
        "from abc import ABC, abstractmethod\nfrom typing import Generic, TypeVar, Protocol\nT = TypeVar('T')\n"
        "class Positive:\n    def __set_name__(self, owner, name):\n        self.name = '_' + name\n    def __get__(self, obj, kind=None):\n        return getattr(obj, self.name)\n    def __set__(self, obj, v):\n        if v < 0:\n            raise ValueError(self.name)\n        setattr(obj, self.name, v)\n"
        "class A(ABC):\n    n = Positive()\n    @abstractmethod\n    def area(self):\n        ...\nclass S(A, Generic[T]):\n    def area(self):\n        return self.n ** 2\n"
        "s = S()\ns.n = 3\nassert s.area() == 9\ntry:\n    A()\nexcept TypeError:\n    pass\nelse:\n    assert False"
    ),
    "long sums": "assert " + " + ".join(["1"] * 400) + " == 400",
    "names that others reserve": "print = print\ninput_ = 1\n_ = 2\n_private = 3\nformat_ = 4\nassert _ + _private == 5",
    "the main guard": "assert __name__ != '__main__'\nif __name__ == '__main__':\n    assert False",
}


@pytest.mark.parametrize("feature", FEATURES)
def test_ordinary_python_works(run_code: RunSource, feature: str) -> None:
    outcome = run_code(FEATURES[feature])
    assert outcome.verdict is Verdict.PASSED, f"{outcome.message} (line {outcome.line})"


def test_each_side_of_an_assertion_is_evaluated_once(run_code: RunSource) -> None:
    code = "n = [0]\ndef up():\n    n[0] += 1\n    return n[0]\nassert up() == 1\nassert up() < 3 < 4\nassert n[0] == 2"
    assert run_code(code).verdict is Verdict.PASSED


def test_the_same_seed_gives_the_same_chance_and_order(run_code: RunSource) -> None:
    code = "import random\nlog(random.random(), hash('a'), list({'x', 'y', 'z'}))"
    assert run_code(code).log[0].text == run_code(code).log[0].text
