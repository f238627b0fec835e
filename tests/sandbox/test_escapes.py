"""Ways out of the language that were found in such policies before: each is closed."""
# ruff: noqa: E501

from __future__ import annotations

import pytest

from runner.sandbox import Verdict
from tests.sandbox.conftest import RunSource

# Each calls `reached(...)` with what it was after, if it gets that far.
ESCAPES = {
    "type of a type": "reached(type(int)('X', (), {}))",
    "class of a type": "reached(int.__class__('X', (), {}))",
    "class of a type by name": "reached(getattr(int, '__class__')('X', (), {}))",
    "type through an alias": "reached(type[int]('X', (), {}))",
    "type through typing": "import typing\nreached(typing.Type)",
    "type through get_origin": (
        "import typing\nfor t in (type[int], list[int]):\n    o = typing.get_origin(t)\n"
        "    if o is not type and o is not list: reached(o)\n    if o is type: reached(o('X', (), {}))"
    ),
    "the metaclass of abstract classes": "from abc import ABCMeta\nreached(ABCMeta)",
    "the metaclass of enums": "import enum\nreached(enum.EnumType)",
    "enum's functional interface": "import enum\nreached(enum.Enum('E', {'__getattribute__': 1}))",
    "enum's functional interface of a subclass": (
        "import enum\nclass E(enum.Enum): pass\nreached(E('F', 'a b'))"
    ),
    "annotations as text, by singledispatch": (
        "from functools import singledispatch\nclass A:\n    x: 'reached(1)' = 0\n"
        "    def __call__(self, x): pass\n"
        "@singledispatch\ndef f(x): pass\nf.register(A())\nreached(f)"
    ),
    "annotations as text, by get_type_hints": "from typing import get_type_hints\nreached(get_type_hints)",
    "annotations as text, by ForwardRef": "from typing import ForwardRef\nreached(ForwardRef)",
    "patterns that read by position": (
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    gi_frame: int\nreached(A)"
    ),
    "patterns through a named tuple": (
        "from collections import namedtuple\nA = namedtuple('A', ['gi_frame'])\nreached(A)"
    ),
    "patterns through typing's named tuple": (
        "from typing import NamedTuple\nreached(NamedTuple('A', [('gi_frame', int)]))"
    ),
    "patterns by a class's own list": "class A:\n    __match_args__ = ('gi_frame',)\nreached(A)",
    "patterns by name": "g = (n for n in ())\nmatch g:\n    case object(gi_frame=f): reached(f)",
    "patterns that fetch str.format": "match '{0.x}':\n    case str(format=f): reached(f)",
    "a frame through a generator": "g = (g.gi_frame for _ in (1,))\nreached(next(g))",
    "a frame through a name": "g = (n for n in ())\nreached(getattr(g, 'gi_' + 'frame'))",
    "a frame through a traceback": (
        "class M:\n    def __enter__(self): pass\n    def __exit__(self, k, v, tb):\n"
        "        reached(getattr(tb, 'tb_frame'))\nwith M(): 1 / 0"
    ),
    "str.format": "reached('{0.__class__}'.format(1))",
    "str.format as a function": "reached(str.format('{0.__class__}', 1))",
    "str.format by name": "reached(getattr('{0.__class__}', 'format')(1))",
    "str.format through super": (
        "class S(str):\n    def f(self, *a): return super().format(*a)\nreached(S('{0.__class__}').f(1))"
    ),
    "str.format in place": (
        "class G:\n    def __radd__(self, o):\n        reached(o)\nclass S(str):\n    format_ = 0\ns = S('')\ns.format += G()"
    ),
    "str.format_map": "reached('{a.__class__}'.format_map({'a': 1}))",
    "string.Formatter": "import string\nreached(string.Formatter)",
    "methodcaller": "import operator\nreached(operator.methodcaller)",
    "attrgetter": "from operator import attrgetter\nreached(attrgetter)",
    "the object of an AttributeError": (
        "import math\ntry:\n    math.nope\nexcept AttributeError as e:\n    reached(e.obj)"
    ),
    "update_wrapper": "import functools\nreached(functools.update_wrapper)",
    "wraps with chosen attributes": (
        "from functools import wraps\ndef f(): pass\ndef g(): reached(1)\n"
        "class W:\n    __slots__ = ()\nwraps(g, assigned=['__code__'])(f)()\nreached(1) if f.__name__ != 'g' else None"
    ),
    "make_dataclass": "import dataclasses\nreached(dataclasses.make_dataclass)",
    "a dataclass of another's class": (
        "import dataclasses, fractions\nreached(dataclasses.dataclass(fractions.Fraction))"
    ),
    "a module of a module": "from dataclasses import sys\nreached(sys)",
    "a module's attribute": "import enum\nreached(enum.sys)",
    "changing a module": "import math\nmath.pi = 3\nreached(math)",
    "changing a module by setattr": "import math\nsetattr(math, 'pi', 3)\nreached(math)",
    "changing a module's items": "import operator, math\noperator.setitem(math, 'pi', 3)\nreached(math)",
    "changing a class of the library": "import fractions\nfractions.Fraction.x = 1\nreached(1)",
    "submodules of the import machinery": "import collections.abc as c\nreached(c.sys)",
    "importing by the back door": "__builtins__['__import__']('os')",
    "import as a name": "reached(__import__)",
    "globals of a function": "reached((lambda: 0).__globals__)",
    "globals of a library's function": "import textwrap\nreached(textwrap.dedent.__globals__)",
    "subclasses of object": "reached(object.__subclasses__())",
    "bases of a class": "reached(int.__base__)",
    "the class cell": "class A:\n    def f(self): return __class__\nreached(A().f())",
    "self of a builtin": "reached(print.__self__)",
    "a method's function": "reached(print.__func__)",
    "private attributes of others": "import random\nreached(random.Random()._randbelow)",
    "reduce": "reached((1).__reduce_ex__(4))",
    "defining reduce": "class A:\n    def __reduce__(self): return (reached, (1,))\nimport copy\ncopy.copy(A())",
    "defining getattribute": "class A:\n    def __getattribute__(self, n): return n\nreached(A().__code__)",
    "names shadowing guards by an argument": "def f(_write_, /): pass\nreached(f)",
    "names shadowing guards by a keyword-only argument": "f = lambda *, _getattr_: 0\nreached(f)",
    "names shadowing guards by an import": "import math as _write_\nreached(1)",
    "names shadowing guards by a pattern": "match 1:\n    case _write_: reached(1)",
    "names shadowing guards by an exception": "try:\n    1/0\nexcept Exception as _write_:\n    reached(1)",
    "names shadowing guards by a class": "class _getattr_: pass\nreached(1)",
    "names shadowing guards by global": "def f():\n    global _holds_\n    _holds_ = 1\nreached(f)",
    "names shadowing guards by unpacking": "[_write_, b] = 1, 2\nreached(1)",
    "names shadowing guards by a walrus": "(_write_ := 1)\nreached(1)",
    "names shadowing guards by a loop": "for _write_ in (): pass\nreached(1)",
    "names shadowing guards by with": "from contextlib import nullcontext\nwith nullcontext() as _write_: reached(1)",
    "except*": "try:\n    pass\nexcept* Exception: pass\nreached(1)",
    "a str subclass as an attribute's name": (
        "class S(str):\n    def startswith(self, *a): return False\n    def __eq__(self, o): return False\n"
        "    def __hash__(self): return 0\nreached(getattr(print, S('__self__')))"
    ),
    "the interpreter through a codec": "reached('import os'.encode('rot13x'))",
    "starting programs through uuid": "import uuid\nreached(uuid.uuid1())",
    "copying a module": "import copy, math\nreached(copy.copy(math))",
    "a GenericAlias's origin": "reached(list[int].__origin__)",
    "code through a type": "F = type(lambda: 0)\nreached(F((lambda: 0).__code__, {}))",
    "vars of another's": "import random\nreached(vars(random))",
    "str.format of a string in disguise": (
        "from collections import UserString\nreached(UserString('{0.__class__}').format(1))"
    ),
    "str.format_map of a string in disguise": (
        "from collections import UserString\n"
        "class S(UserString):\n    def f(self, *a): return self.format_map(*a)\n"
        "reached(S('{a.__class__}').f({'a': 1}))"
    ),
    "an attribute that copying asks for": (
        "import copy\nfrom types import SimpleNamespace as N\n"
        "how = {'__reduce_ex__': lambda p: (lambda: check, (), (None, {'__kwdefaults__': {}}))}\n"
        "reached(copy.deepcopy(N(**how)))"
    ),
    "a field of a dataclass whose name is a program": (
        "import dataclasses\nclass S(type(dataclasses.field())):\n"
        "    name = property(lambda self: 'x=print(1)', lambda self, v: None)\nreached(S)"
    ),
    "a module made anew": "import math\nmath.__init__('math', {'pi': 3})\nreached(math.pi)",
    "what a printer prints to": (
        "import pprint\nclass P(pprint.PrettyPrinter):\n    def g(self): return self._stream\n"
        "reached(P().g())"
    ),
    "deleting builtins": "del __builtins__\nreached(1)",
    "writing through memory": "reached(memoryview(b'abc').obj.__class__.__base__)",
}


@pytest.mark.parametrize("name", ESCAPES)
def test_a_known_way_out_is_closed(run_test: RunSource, name: str) -> None:
    outcome = run_test(
        "def F(thing): log('reached', type(thing))", ESCAPES[name].replace("reached(", "F(")
    )
    assert [line.text for line in outcome.log] == []
    if name not in ("type through get_origin", "wraps with chosen attributes"):
        assert outcome.verdict in (Verdict.POLICY, Verdict.ERROR), outcome


def test_output_can_not_be_forged_by_a_string_with_methods(run_code: RunSource) -> None:
    code = """
class Sly(str):
    def __radd__(self, other):
        log('seen', type(other))
        return self
    def split(self, *a):
        return [self]
    def encode(self, *a):
        return b'forged'
    def join(self, parts):
        return self
print('a', end=Sly('b'))
print('c', 'd', sep=Sly('-'))
print(Sly('e'), end='')
class Problem(Exception):
    def __str__(self):
        return Sly('f')
raise Problem
"""
    outcome = run_code(code)
    assert [line.text for line in outcome.log] == ["abc-d", "e"]
    assert outcome.message == "Problem: f"


def test_an_exception_whose_name_raises_is_the_codes_own_fault(run_code: RunSource) -> None:
    outcome = run_code(
        "class E(NameError):\n    @property\n    def name(self): raise ValueError\nraise E('boo')"
    )
    assert (outcome.verdict, outcome.message) == (Verdict.ERROR, "E: boo")


def test_runs_leave_nothing_behind_for_each_other(run_code: RunSource) -> None:
    leave = "import json, decimal, re, random\njson.JSONEncoder.left = 1\n"
    run_code(leave)
    run_code("import decimal, random\ndecimal.getcontext().prec = 3\nrandom.seed(1)\nlog.left = 1")
    outcome = run_code(
        "import decimal, json\nassert decimal.getcontext().prec == 28\n"
        "assert not hasattr(json.JSONEncoder, 'left') and not hasattr(log, 'left')"
    )
    assert outcome.verdict is Verdict.PASSED, outcome.message
