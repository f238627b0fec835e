"""What the language allows can't be turned into what it doesn't: an abuse for every widening."""
# ruff: noqa: E501

from __future__ import annotations

import re
import sysconfig
from pathlib import Path

import pytest

from runner.sandbox import Limits, Verdict, names
from tests.sandbox.conftest import RunSource

ENDED = (Verdict.POLICY, Verdict.ERROR)
SHORT = Limits(cpu_ms=1_500, wall_ms=4_000, memory_bytes=64 << 20)

# Each logs "reached" if it gets what it is after.
ABUSES = {
    "format reads globals": "def f(): pass\nlog('reached', '{0.__globals__}'.format(f))",
    "format reads through a nested specification": "def f(): pass\nlog('reached', '{0:{1.__globals__}}'.format(1, f))",
    "format reads by a mapping": "class M(dict):\n    def __missing__(self, k): return print\nlog('reached', '{a.__self__}'.format_map(M()))",
    "format reads private names of the library": "import random\nlog('reached', '{0._randbelow}'.format(random.Random()))",
    "format's own function tells of its insides": "log('reached', '{.x}'.format.__closure__)",
    "format through an alias": "from typing import Annotated\nlog('reached', Annotated[str, 1].format('{0.__globals__}', log))",
    "format through a pattern whose class lies": (
        "from abc import ABC\nfrom dataclasses import dataclass\n@dataclass\nclass C(ABC):\n    format: str\nC.register(str)\n"
        "def f(): pass\nmatch '{0.__globals__}':\n    case C(g): log('reached', g(f))\n    case _: 1 / 0"
    ),
    "private names through a pattern whose class lies": (
        "from dataclasses import dataclass\nimport random\nclass Lies(type):\n    def __instancecheck__(cls, x): return True\n"
        "@dataclass\nclass C(metaclass=Lies):\n    _randbelow: str\nmatch random.Random():\n    case C(g): log('reached', g)\n    case _: 1 / 0"
    ),
    "match arguments set afterwards": "class C: pass\nC.__match_args__ = ('gi_frame',)\nlog('reached')",
    "match arguments of a str subclass": "class S(str): pass\nclass C:\n    __match_args__ = (S('gi_frame'),)\nlog('reached')",
    "object's getattribute": "log('reached', object.__getattribute__(print, '__self__'))",
    "type's getattribute": "log('reached', type.__getattribute__(int, '__subclasses__')())",
    "getattribute by super": "class A:\n    def f(self): return super().__getattribute__('__reduce_ex__')\nlog('reached', A().f())",
    "getattribute of a function": "log('reached', (lambda: 0).__getattribute__('__globals__'))",
    "getattribute of what is private": "import random\nlog('reached', random.Random().__getattribute__('_randbelow'))",
    "object's setattr on another's": "object.__setattr__(check, 'left', 1)\nlog('reached')",
    "type's setattr on a class of the library": "import fractions\ntype.__setattr__(fractions.Fraction, 'left', 1)\nlog('reached')",
    "super's setattr of a forbidden name": "class A:\n    def f(self): super().__setattr__('__reduce_ex__', 1)\nA().f()\nlog('reached')",
    "a bound setattr's insides": "class A: pass\nlog('reached', A().__setattr__.args)",
    "delattr of a class of the library": "import fractions\ntype.__delattr__(fractions.Fraction, 'limit_denominator')\nlog('reached')",
    "getattribute that tells how to copy": (
        "import copy, math\nclass A:\n    def __getattribute__(self, n):\n        if n == '__reduce_ex__': return lambda p: (lambda: check, (), {'left': 1})\n"
        "        return super().__getattribute__(n)\nb = copy.deepcopy(A())\nlog('reached') if type(b) is not A else 1 / 0"
    ),
    "a dictionary that tells how to copy": (
        "import copy\nclass A: pass\na = A()\na.__dict__['__reduce_ex__'] = lambda p: (lambda: check, (), {'left': 1})\n"
        "copy.deepcopy(a)\nlog('reached')"
    ),
    "the dictionary of another's": "log('reached', check.__dict__)",
    "the dictionary of a bound method": "log('reached', vars(print))",
    "str's dictionary": "log('reached', vars(str)['format'])",
    "annotations as a dataclass's text": (
        "from dataclasses import dataclass\nclass A:\n    x: int = 0\nA.__annotations__['y=log(1)'] = int\ndataclass(A)\n"
        "log('reached') if 'y=log(1)' in A.__annotations__ else 1 / 0"
    ),
    "annotations in a namespace": "from dataclasses import dataclass\ndataclass(type('A', (), {'__annotations__': {'x=log(1)': int}}))\nlog('reached')",
    "annotations kept by a metaclass": (
        "from dataclasses import dataclass\nkept = []\nclass M(type):\n    def __new__(m, n, b, ns):\n        kept.append(ns.get('__annotations__'))\n        return super().__new__(m, n, b, ns)\n"
        "class A(metaclass=M):\n    x: int = 0\nkept[0]['y=log(1)'] = int\nlog('reached') if len(A.__annotations__) > 1 else 1 / 0"
    ),
    "fields through the metaclass of a base": (
        "from dataclasses import dataclass\nclass F: name = 'x=log(1)'\nclass M(type):\n    def __getattr__(cls, n): return {'x': F()}\n"
        "class A(metaclass=M): pass\n@dataclass\nclass B(A):\n    y: int = 0\nlog('reached') if len(B.__match_args__) > 1 else 1 / 0"
    ),
    "a special name in a namespace": "type('X', (), {'__reduce__': 1})\nlog('reached')",
    "a special name of a str subclass": "class S(str): pass\ntype('X', (), {S('__reduce__'): 1})\nlog('reached')",
    "a special name by new of type": "type.__new__(type, 'X', (), {'__del__': 1})\nlog('reached')",
    "a special name by a metaclass's super": (
        "class M(type):\n    def __new__(m, n, b, ns): return super().__new__(m, n, b, {**ns, '__reduce__': 1})\nclass A(metaclass=M): pass\nlog('reached')"
    ),
    "the real new behind our type": (
        "class M(type): pass\nlog('reached', super(type, M).__new__(M, 'X', (), {'__reduce__': 1}))"
    ),
    "the real type by the order of bases": (
        "class M(type): pass\nfor t in [*M.__mro__, *M.mro(), *type.mro(M), *M.__bases__, type.__base__, type(M), type(type(M)), M.__class__]:\n"
        "    if isinstance(t, type) and issubclass(t, type) and t is not M:\n        t('X', (), {'__reduce__': 1})\n        log('reached')"
    ),
    "the real type by an alias": "log('reached', type[int].__origin__('X', (), {'__reduce__': 1}))",
    "the real metaclass of abstract classes": (
        "from abc import ABC, ABCMeta\nclass A(ABC): pass\nfor t in (type(A), ABCMeta, A.__class__, ABCMeta.__mro__[1]):\n    try: t('X', (), {'__reduce__': 1})\n    except TypeError: continue\n    log('reached')\n1 / 0"
    ),
    "a metaclass that lies about its classes": "class M(type):\n    def __hash__(cls): return 1\nlog('reached')",
    "a metaclass that lies later": "class M(type): pass\nM.__eq__ = lambda a, b: True\nlog('reached')",
    "a metaclass that lies by a base": "class L:\n    def __eq__(a, b): return True\nclass M(L, type): pass\nlog('reached')",
    "a metaclass that answers for its classes": "class M(type):\n    def __getattribute__(cls, n): return 1\nlog('reached')",
    "a metaclass with an order of its own": "class M(type):\n    def mro(cls): return [cls, object]\nlog('reached')",
    "a metaclass's order set later": "class M(type): pass\nM.mro = lambda cls: [cls, object]\nlog('reached')",
    "a body whose names are the guards'": (
        "from fractions import Fraction\nseen = []\nclass N(dict):\n    def __missing__(self, k):\n        seen.append(k)\n        if k == '_write_': return lambda x, *a: x\n        if k == '_quick_': return [type]\n        raise KeyError(k)\n"
        "class M(type):\n    @classmethod\n    def __prepare__(m, n, b): return N()\nclass A(metaclass=M):\n    Fraction.left = 1\nlog('reached')"
    ),
    "a body filled with guards while it runs": (
        "from fractions import Fraction\nns = {}\nclass M(type):\n    @classmethod\n    def __prepare__(m, n, b): return ns\n"
        "class A(metaclass=M):\n    ns['_write_'] = lambda x, *a: x\n    Fraction.left = 1\nlog('reached')"
    ),
    "a module that isn't ours": "type('X', (), {'__module__': 'os'})\nlog('reached')",
    "slots that copying asks for": "S = ['__reduce_ex__']\nclass A:\n    __slots__ = S\nlog('reached')",
    "slots that answer twice": (
        "class L(list):\n    n = 0\n    def __iter__(self):\n        L.n += 1\n        return iter(['a'] if L.n < 2 else ['__reduce_ex__'])\nclass A:\n    __slots__ = L(['a'])\nlog('reached') if hasattr(A, '__reduce_ex__') or A.__slots__ != ('a',) else 1 / 0"
    ),
    "bases that answer twice": (
        "import dataclasses\nF = type(dataclasses.field())\nclass T(tuple):\n    def __iter__(self): return iter(())\ntype('X', T((F,)), {})\nlog('reached')"
    ),
    "bases of a sealed class": "import dataclasses\ntype('X', (type(dataclasses.field()),), {})\nlog('reached')",
    "a cached property on a module": "import functools, math\np = functools.cached_property(lambda m: 3)\np.__set_name__(int, 'left')\np.__get__(math)\nlog('reached')",
    "a cached property by a class method": "import functools, math\np = functools.cached_property(lambda m: 3)\np.__set_name__(int, 'left')\nclassmethod(p).__get__(None, math)\nlog('reached')",
    "a cached property by a class method of one's own": "import functools, math\np = functools.cached_property(lambda m: 3)\np.__set_name__(int, 'left')\nclass C(classmethod): pass\nC(p).__get__(None, math)\nlog('reached')",
    "a slot of the library": "import dataclasses\nf = dataclasses.field()\ntype(f).name.__set__(f, 'x=log(1)')\nlog('reached')",
    "an initializer on others": (
        "import dataclasses\n@dataclasses.dataclass\nclass A:\n    name: str\nf = dataclasses.field()\nA.__init__(f, 'x=log(1)')\nlog('reached')"
    ),
    "self that becomes another's": (
        "from fractions import Fraction\nclass A:\n    def f(self):\n        self.x = 1\n        for self in [Fraction]: pass\n        self.left = 1\nA().f()\nlog('reached')"
    ),
    "self that becomes another's inside": (
        "from fractions import Fraction\nclass A:\n    def f(self):\n        def g():\n            nonlocal self\n            self = Fraction\n        g()\n        self.left = 1\nA().f()\nlog('reached')"
    ),
    "self that is another's within": (
        "from fractions import Fraction\nclass A:\n    def f(self):\n        self.x = 1\n        def g(self): self.left = 1\n        g(Fraction)\nA().f()\nlog('reached')"
    ),
    "self in a comprehension": (
        "import random\nclass A:\n    def f(self):\n        self.x = 1\n        return [self._randbelow for self in [random.Random()]]\nlog('reached', A().f())"
    ),
    "a method given another's": "from fractions import Fraction\nclass A:\n    def f(self): self.left = 1\nA.f(Fraction)\nlog('reached')",
    "leaving early": "try:\n    assert False\nfinally:\n    exit(0)\nlog('reached')",
    "names set through globals": "globals()['check'] = 1\nlog('reached')",
    "builtins through globals": "log('reached', globals()['__builtins__'])",
    "guards through locals": "log('reached', [n for n in locals() if n.startswith('_write')][0])",
    "code of a function to make another": "def f(): pass\nlog('reached', type(f)(f.__code__, {}))",
    "code of another's": "import textwrap\nlog('reached', textwrap.dedent.__code__)",
    "a group's split": "class G(ExceptionGroup):\n    def split(self, k): return 1\nlog('reached')",
    "a finalizer set later": "class A: pass\nA.__del__ = print\nlog('reached')",
    "an instance's class of the library": "class A: pass\na = A()\na.__class__ = type(print)\nlog('reached')",
}


@pytest.mark.parametrize("name", ABUSES)
def test_an_abuse_gets_nowhere(run_code: RunSource, name: str) -> None:
    outcome = run_code(ABUSES[name], limits=SHORT)
    assert not [line.text for line in outcome.log if line.text.startswith("reached")]
    assert outcome.verdict in ENDED, outcome


EATS = "x = []\ndef eat():\n    while True: x.append('x' * 10 ** 6)\n"
# Each catches the end of its memory, and would pass if that were forgotten.
CATCHES = {
    "by its name": "try: eat()\nexcept MemoryError: pass",
    "by a tuple": "try: eat()\nexcept (ValueError, MemoryError): pass",
    "by anything": "try: eat()\nexcept: pass",
    "under another name": "M = MemoryError\ntry: eat()\nexcept M: pass",
    "under the name of another": "ValueError = MemoryError\ntry: eat()\nexcept ValueError: pass",
    "twice": "try:\n    try: eat()\n    except MemoryError: pass\nexcept BaseException: pass",
    "by leaving a finally": "def f():\n    try: eat()\n    finally: return 1\nf()",
    "by a loop's finally": "for i in (1,):\n    try: eat()\n    finally: continue",
    "by a manager": "class M:\n    def __enter__(self): pass\n    def __exit__(self, *a): return True\nwith M(): eat()",
    "by a manager's other method": "class M:\n    def close(self, *a): return True\n    def __enter__(self): pass\n    __exit__ = close\nwith M(): eat()",
    "by a manager that is called": "class X:\n    def __call__(self, *a): return True\nclass M:\n    def __enter__(self): pass\n    __exit__ = X()\nwith M(): eat()",
    "by the inner of two managers": "from contextlib import nullcontext\nclass M:\n    def __enter__(self): pass\n    def __exit__(self, *a): return True\nclass N:\n    def __enter__(self): eat()\n    def __exit__(self, *a): pass\nwith M(), N(): pass",
    "by a stack": "from contextlib import ExitStack\nwith ExitStack() as s:\n    s.push(lambda *a: True)\n    eat()",
    "by suppressing": "from contextlib import suppress\nwith suppress(BaseException): eat()",
    "by a generator": "from contextlib import contextmanager\n@contextmanager\ndef c():\n    try: yield\n    except Exception: pass\nwith c(): eat()",
    "in a group": "try: eat()\nexcept* MemoryError: pass",
    "asynchronously": "import asyncio\nclass M:\n    async def __aenter__(self): pass\n    async def __aexit__(self, *a): return True\nasync def f():\n    async with M(): eat()\nasyncio.run(f())",
    "in a task": "import asyncio\nasync def e(): eat()\nasync def f(): await asyncio.gather(e(), return_exceptions=True)\nasyncio.run(f())",
}


@pytest.mark.parametrize("way", CATCHES)
def test_nobody_catches_their_way_past_the_end_of_memory(run_code: RunSource, way: str) -> None:
    outcome = run_code(EATS + CATCHES[way] + "\nx.clear()", limits=SHORT)
    assert outcome.verdict is Verdict.MEMORY_LIMIT, outcome


def test_memory_errors_of_ones_own_are_caught_as_usual(run_code: RunSource) -> None:
    code = "try: raise MemoryError('mine')\nexcept MemoryError as e: assert str(e) == 'mine'"
    assert run_code(code).verdict is Verdict.PASSED


FORGERIES = {
    "what operators mean": "setattr(type(thing), '__eq__', lambda a, b: True)",
    "the class of an object": "class E:\n        def __eq__(self, o): return True\n    thing.__class__ = E",
    "the defaults of a function": "thing.check.__defaults__ = (True,)",
    "how attributes are found": "type(thing).__getattribute__ = lambda s, n: (lambda *a: True)",
    "type's own setattr": "type.__setattr__(type(thing), '__eq__', lambda a, b: True)",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_an_implementation_does_not_change_what_the_test_has_written(
    run_test: RunSource, forgery: str
) -> None:
    implementation = f"def F(thing):\n    {FORGERIES[forgery]}\n    return thing\n"
    test = (
        "class Thing:\n    def __eq__(self, other): return False\n    def check(self, held=False): assert held\n"
        "try: F(Thing())\nexcept Exception: pass\nThing().check()\nassert Thing() == Thing()"
    )
    outcome = run_test(implementation.replace("thing.check.", "type(thing).check."), test)
    assert outcome.verdict is Verdict.FAILED, outcome


def test_every_name_that_the_library_gives_a_meaning_to_is_known() -> None:
    special = re.compile(rb"(?<!\w)__[A-Za-z]\w*?__(?!\w)")
    folder = Path(sysconfig.get_path("stdlib"))
    left_out = {"test", "tests", "site-packages", "idlelib", "lib2to3", "tkinter", "turtledemo"}
    known: set[str] = set()
    for path in [*folder.rglob("*.py"), *folder.glob("lib-dynload/*.so")]:
        if left_out.isdisjoint(path.relative_to(folder).parts):
            known.update(found.decode() for found in special.findall(path.read_bytes()))
    assert len(known) > 200
    assert {name for name in known if not names.is_dunder(name)} == set()
