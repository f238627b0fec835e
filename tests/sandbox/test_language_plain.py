"""As in plain Python: snippets that print the same under the policy and without it."""
# ruff: noqa: E501

from __future__ import annotations

import subprocess
import sys

import pytest

from runner.sandbox import Module, Pool, Program, Verdict

SNIPPETS = {
    "input from a stream of one's own": """
import io, sys
sys.stdin = io.StringIO("7\\nab\\n")
print(int(input("n? ")), input())
try: input()
except EOFError as ended: print(ended)
""",
    "text that is run": """
import math
x = 5
def f(y):
    return eval('y * x + math.floor(2.5)')
print(eval('x + 1'), eval(' [i * x for i in range(3)]'), f(3), eval(b'1 + 1'), eval('(w := 4)'), w)
exec('z = 10\\ndef g(a):\\n    return a + z\\nclass K:\\n    def __init__(self): self._v = 1\\n    def up(self): self._v += z; return self._v')
print(z, g(1), K().up(), K.__module__ == __name__)
names = {'q': 2, 'gone': 1}
exec('r = q * 2\\ndel gone\\nfor i in range(3): r += i', names)
exec('def fact(n): return 1 if n < 2 else n * fact(n - 1)', names)
print(sorted(n for n in names if n[0] != '_'), names['r'], names['fact'](5))
local = {}
exec('a = 1; b = a + 1', {}, local)
exec('c = a + 1', globals(), local)
print(local, eval('a + b', None, local), eval('max(1, 2)', {'__builtins__': {}, 'max': min}))
def inner():
    exec('x = 99')
    return x
print(inner(), x, [eval('i * i') for i in range(3)], list(map(eval, ['x', '1'])))
exec('def h(): return x', globals())
x = 7
print(h())
for text in ('open', 'abs(1)'):
    try: eval(text, {'__builtins__': {}})
    except NameError as e: print(e)
for text in ('1 +', 'a b', ''):
    try: eval(text)
    except SyntaxError as e: print(type(e).__name__, e.filename)
try: exec("assert x == 6, 'no'")
except AssertionError as e: print(e)
try: eval('1 / 0')
except ZeroDivisionError as e: print(e)
exec("exec('n = 1'); print(n, eval('n + 1'))", {})
class C:
    v = 3
    u = eval('v + 1')
print(C.u)
try: exec("raise SystemExit(3)")
except SystemExit as e: print(e.code)
""",
    "imports that may fail": """
try:
    import nothing_like_it as np
except ImportError:
    np = None
try:
    from math import nothing
except (KeyError, ImportError) as e:
    print(type(e).__name__)
try:
    import nothing.parts
except ModuleNotFoundError as e:
    print(type(e).__name__, e.name.partition('.')[0])
def f():
    try:
        import nothing_else
    except:
        return 1
    return nothing_else
try:
    try:
        from . import parts
    finally:
        print('finally')
except Exception as e:
    print(type(e).__name__)
print(np, f())
""",
    "format reads attributes and items": """
class P:
    def __init__(self): self.name, self.tags = 'x', ['a', 'b']
p = P()
print('{0.name} {0.tags[1]} {d[k]} {}'.format(p, d={'k': 5}) if False else '{0.name} {0.tags[1]} {d[k]}'.format(p, d={'k': 5}))
print('{} {} {}'.format(1, 2, 3), '{0}{1}{0}'.format('a', 'b'), '{:>{w}.{p}f}|'.format(3.14159, w=8, p=2))
print('{!r} {!s} {!a} {{}}'.format('é', 'é', 'é'), '{p.name!r:>6}'.format(p=p), '{:%Y-%m}'.format(__import_date))
""".replace("__import_date", "D").replace(
        "class P", "import datetime\nD = datetime.date(2020, 2, 1)\nclass P", 1
    ),
    "format of subclasses, unbound and by name": """
class S(str):
    def format(self, *a): return 'own ' + super().format(*a)
class T(str): pass
print(S('{0.real}').format(7), T('{0.imag}').format(7), str.format('{.real}', 3), list(map('{:02d}'.format, [1, 2])))
print(getattr('{a.real}', 'format')(a=1), '{a[x].real}'.format_map({'a': {'x': 4}}), str.format_map('{b}', {'b': 1}))
f = '{0.denominator}-{1}'.format
print(f(3, 4), '{x.y.z}'.format(x=type('N', (), {'y': type('M', (), {'z': 9})})))
""",
    "what format can't do": """
for make in (lambda: '{0.nope}'.format(1), lambda: '{1.real}'.format(1), lambda: '{.real} {0.real}'.format(1), lambda: '{x.y}'.format(),
             lambda: '{'.format(1), lambda: '{0.real!z}'.format(1), lambda: '{.x}'.format_map({})):
    try: make()
    except Exception as e: print(type(e).__name__, e)
""",
    "setattr, delattr and getattribute of one's own": """
class Watched:
    def __init__(self): self.x = 1
    def __setattr__(self, n, v):
        print('set', n, v); super().__setattr__(n, v)
    def __delattr__(self, n):
        print('del', n); super().__delattr__(n)
    def __getattribute__(self, n):
        if n == 'secret': return 42
        return super().__getattribute__(n)
w = Watched(); w.x += 1; w._p = 3; setattr(w, 'q', 4); del w.q
print(w.x, w._p, w.secret, hasattr(w, 'q'), w.__dict__)
class Frozen:
    def __init__(self, x): object.__setattr__(self, 'x', x)
    def __setattr__(self, n, v): raise AttributeError(f'frozen {n}')
f = Frozen(2)
try: f.x = 3
except AttributeError as e: print(e, f.x)
""",
    "frozen dataclasses that compute": """
from dataclasses import dataclass, field, FrozenInstanceError
@dataclass(frozen=True, order=True)
class P:
    x: int
    y: int = 0
    d: float = field(init=False, compare=False)
    def __post_init__(self): object.__setattr__(self, 'd', (self.x ** 2 + self.y ** 2) ** .5)
print(P(3, 4), hash(P(1)) == hash(P(1)), sorted([P(2), P(1, 5)]), P.__match_args__, P.__name__)
try: P(1).x = 2
except FrozenInstanceError as e: print(e)
match P(3, 4):
    case P(3, y): print('y', y)
""",
    "dictionaries of objects and classes": """
import json
class A:
    kind = 'a'
    def __init__(self, **kw): self.__dict__.update(kw)
    def set(self, k, v): self.__dict__[k] = v
a = A(x=1); a.set('y', 2); vars(a)['z'] = 3
print(a.__dict__, a.__dict__ == {'x': 1, 'y': 2, 'z': 3}, json.dumps(a.__dict__), a.z, len(vars(a)), list(a.__dict__.items()))
print('kind' in A.__dict__, A.__dict__['kind'], sorted(n for n in vars(A) if not n.startswith('__')), dict(**a.__dict__))
a.__dict__ |= {'w': 5}; del a.__dict__['x']; print(a.w, hasattr(a, 'x'))
class Borg:
    _shared = {}
    def __init__(self): self.__dict__ = self._shared
b, c = Borg(), Borg(); b.n = 7; print(c.n, b.__dict__ is c.__dict__, Borg._shared)
def f(): pass
f.calls = 1; print(f.__dict__, vars(f))
""",
    "what functions and classes tell": """
def f(a: int, b: 'str' = 'x', *c, d=1) -> bool:
    'doc'
class A: 'A doc'
class B(A):
    x: int = 1
    def m(self): return __class__.__name__
print(f.__name__, f.__qualname__, f.__doc__, f.__module__, f.__annotations__, f.__defaults__, f.__kwdefaults__)
print(B.__name__, B.__bases__, B.__mro__, B.mro(), B.__base__, A.__subclasses__(), B.__annotations__, B.__module__, A.__doc__, B().m(), B.__qualname__)
f.__name__ = 'g'; f.__doc__ = 'new'; print(f.__name__, f.__doc__); A.__doc__ = 'other'; print(A.__doc__)
print(B().__class__, B().__class__.__name__, type(B()) is B, type(B) is type, type(type) is type, isinstance(B, type), isinstance(3, type), type(3), type, issubclass(type, object))
m = B().m; print(m.__func__ is B.m, type(m.__self__).__name__, m.__name__)
print(hasattr(f, '__iter__'), hasattr([], '__len__'), getattr(f, '__wrapped__', None), (1).__class__, ''.__doc__ is None)
""",
    "changing classes afterwards": """
def add_repr(cls):
    cls.__repr__ = lambda self: f'{cls.__name__}({self.__dict__})'
    setattr(cls, '__eq__', lambda self, o: self.__dict__ == o.__dict__)
    cls.__hash__ = None
    cls.extra = 1
    return cls
@add_repr
class A:
    def __init__(self, x): self.x = x
print(A(1), A(1) == A(1), A.extra)
class Off:
    def on(self): self.__class__ = On
class On(Off): pass
o = Off(); o.on(); print(type(o).__name__)
""",
    "metaclasses": """
class Meta(type):
    seen = []
    def __new__(mcs, name, bases, ns, **kw):
        ns['tag'] = name.lower()
        cls = super().__new__(mcs, name, bases, ns)
        mcs.seen.append((name, sorted(kw)))
        return cls
    def __init__(cls, name, bases, ns, **kw):
        super().__init__(name, bases, ns)
        cls._n = 0
    def __call__(cls, *a, **kw):
        cls._n += 1
        return super().__call__(*a, **kw)
    def __iter__(cls): return iter([cls.tag, cls._n])
    def __len__(cls): return 5
    @property
    def shout(cls): return cls.tag.upper()
class A(metaclass=Meta, flag=True):
    def __init__(self, x=0): self.x = x
class B(A, other=1): pass
A(); A(1); B()
print(Meta.seen, list(A), list(B), len(A), A.shout, type(A) is Meta, isinstance(A, Meta), isinstance(A, type), type(Meta) is type, Meta.__mro__, Meta.__bases__, A.__class__)
class Single(type):
    _all = {}
    def __call__(cls, *a):
        if cls not in cls._all: cls._all[cls] = super().__call__(*a)
        return cls._all[cls]
class S(metaclass=Single): pass
print(S() is S(), issubclass(Single, type))
""",
    "metaclasses with a namespace of their own": """
class Names(dict):
    def __init__(self): super().__init__(); self.order = []
    def __setitem__(self, k, v):
        if not k.startswith('__'): self.order.append(k)
        super().__setitem__(k, v)
    def __missing__(self, k):
        if k.startswith('auto_'): return len(self.order)
        raise KeyError(k)
class Meta(type):
    @classmethod
    def __prepare__(mcs, name, bases, **kw): return Names()
    def __new__(mcs, name, bases, ns):
        cls = super().__new__(mcs, name, bases, dict(ns)); cls.order = ns.order; return cls
class A(metaclass=Meta):
    x = auto_one
    y = auto_two
    def f(self): return self.x, self.y
    f.note = 1
print(A.order, A().f(), A.f.note)
""",
    "abstract base classes by their metaclass": """
from abc import ABCMeta, ABC, abstractmethod
class Shape(metaclass=ABCMeta):
    @abstractmethod
    def area(self): ...
    @property
    @abstractmethod
    def name(self): ...
class Sq(Shape):
    def area(self): return 4
    name = 'sq'
try: Shape()
except TypeError as e: print(e)
print(Sq().area(), isinstance(Sq(), Shape), type(Shape) is ABCMeta, type(Shape))
class Reg(ABCMeta):
    classes = {}
    def __new__(mcs, name, bases, ns):
        cls = super().__new__(mcs, name, bases, ns); mcs.classes[name] = cls; return cls
class Base(metaclass=Reg):
    @abstractmethod
    def f(self): ...
class Impl(Base):
    def f(self): return 1
print(sorted(Reg.classes), Impl().f())
class Sized(ABC):
    @classmethod
    def __subclasshook__(cls, C): return hasattr(C, '__len__')
Sized.register(int); print(isinstance([], Sized), issubclass(str, Sized))
""",
    "classes by calling type": """
def hello(self): return f'hi {self.name}'
P = type('P', (), {'name': 'p', 'hello': hello, '__len__': lambda self: 3})
Q = type('Q', (P,), dict(name='q'))
def make():
    def __init__(self, x): self.x = x
    def __repr__(self): return f'R({self.x})'
    return type('R', (), {'__init__': __init__, '__repr__': __repr__})
print(make()(3), P().hello(), len(P()), Q().hello(), Q.__mro__, Q.__module__, Q.__name__, type('E', (ValueError,), {})('m').args)
""",
    "hooks of subclasses": """
class Base:
    registry = {}
    def __init_subclass__(cls, /, key=None, **kw):
        super().__init_subclass__(**kw)
        cls.key = key or cls.__name__.lower()
        Base.registry[cls.key] = cls
        setattr(cls, 'made', True)
class A(Base, key='k'): pass
class B(A): pass
opts = {'key': 'z'}
class C(Base, **opts): pass
print(sorted(Base.registry), B.made, C.key)
class D:
    def __set_name__(self, owner, name): owner.fields = getattr(owner, 'fields', ()) + (name,); self.name = name
class M:
    a, b = D(), D()
print(M.fields)
class Alias:
    def __class_getitem__(cls, item): return (cls.__name__, item)
print(Alias[int])
""",
    "descriptors": """
class Typed:
    def __init__(self, kind): self.kind = kind
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, obj, owner=None): return self if obj is None else obj.__dict__.get(self.name)
    def __set__(self, obj, v):
        if not isinstance(v, self.kind): raise TypeError(f'{self.name} must be {self.kind.__name__}')
        obj.__dict__[self.name] = v
    def __delete__(self, obj): del obj.__dict__[self.name]
class P:
    age = Typed(int)
    def greet(self): return 'hi'
p = P(); p.age = 3; print(p.age, p.__dict__, P.age.name); del p.age; print(p.age)
try: p.age = 'x'
except TypeError as e: print(e)
print(P.greet.__get__(p, P)(), P.__dict__['greet'].__get__(p)())
class classproperty:
    def __init__(self, f): self.f = f
    def __get__(self, obj, owner): return self.f(owner)
class Q:
    @classproperty
    def n(cls): return cls.__name__
class lazy(property):
    def __get__(self, obj, owner=None): return super().__get__(obj, owner)
class R:
    @lazy
    def v(self): return 5
print(Q.n, R().v)
""",
    "operators of every kind": """
class N:
    def __init__(self, v): self.v = v
    def __repr__(self): return f'N({self.v})'
for op in 'add sub mul truediv floordiv mod pow matmul lshift rshift and or xor'.split():
    for pre in ('', 'r', 'i'):
        setattr(N, f'__{pre}{op}__', (lambda p, o: lambda self, other: N((p + o, self.v, getattr(other, 'v', other))))(pre, op))
a = N(1)
print(a + 1, 1 + a, a @ 2, 2 @ a, a // 1, a ** 2, 3 ** a, a | 1, 1 ^ a, a << 1)
a += 5; print(a); a @= 2; print(a)
class V:
    def __divmod__(self, o): return 'divmod'
    def __rdivmod__(self, o): return 'rdivmod'
    def __neg__(self): return 'neg'
    def __index__(self): return 3
    def __round__(self, n=0): return n
    def __floor__(self): return 'floor'
    def __fspath__(self): return 'path'
    def __sizeof__(self): return 10
    def __dir__(self): return ['b', 'a']
    def __bytes__(self): return b'x'
    def __format__(self, s): return f'<{s}>'
    def __length_hint__(self): return 1
import math, operator
print(divmod(V(), 1), divmod(1, V()), -V(), hex(V()), [0, 1, 2, 3][V()], round(V(), 2), math.floor(V()), dir(V()), bytes(V()), f'{V():q}', operator.index(V()))
""",
    "async": """
import asyncio
class C:
    async def __aenter__(self): print('in'); return self
    async def __aexit__(self, *a): print('out'); return False
    def __aiter__(self): self.n = 0; return self
    async def __anext__(self):
        self.n += 1
        if self.n > 2: raise StopAsyncIteration
        return self.n
class W:
    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return 'w'
async def gen():
    for i in range(3): yield i; await asyncio.sleep(0)
async def main():
    async with C() as c:
        async for x in c: print(x)
    print([x async for x in gen() if x], {x: 1 async for x in gen()}, await W(), await asyncio.gather(*(job(i) for i in range(3))))
    print([await job(1), await anext(aiter(gen()))])
async def job(i): await asyncio.sleep(0); return i * 2
asyncio.run(main())
""",
    "groups of exceptions": """
def f(): raise ExceptionGroup('several', [ValueError('v'), TypeError('t'), ExceptionGroup('in', [KeyError('k')])])
try: f()
except* ValueError as e: print('V', e.exceptions)
except* (TypeError, KeyError) as e: print('T', [repr(x) for x in e.exceptions])
try:
    try: raise OSError('x')
    except* OSError as e: print(type(e).__name__, e.exceptions)
    try: f()
    except* ValueError: raise RuntimeError('r')
except ExceptionGroup as g: print(len(g.exceptions), g.subgroup(lambda e: isinstance(e, KeyError)))
""",
    "importing everything": "from math import *\nfrom collections import *\nprint(floor(2.5), Counter('aab').most_common(1), gcd(4, 6), pi)\nprint([n for n in ('log', 'sqrt') if n in globals()])",
    "exceptions in detail": """
class E(Exception):
    def __init__(self, code): super().__init__(f'code {code}'); self.code = code
try:
    try: 1 / 0
    except ZeroDivisionError as z: raise E(3) from z
except E as e:
    e.add_note('n'); e.extra = 1
    print(e, e.code, type(e.__cause__).__name__, e.__notes__, e.args, e.__suppress_context__, e.__traceback__ is not None)
    err = e.with_traceback(None)
print(err.__traceback__, err.__dict__.get('code'))
try: raise KeyError('a')
except KeyError as k: k.args += ('b',); print(k.args)
for kind in (SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration, RecursionError, UnicodeDecodeError, DeprecationWarning):
    print(kind.__name__, issubclass(kind, Exception), kind.__mro__[1].__name__)
try: raise SystemExit(2)
except SystemExit as s: print(s.code)
def g():
    try: yield 1
    except GeneratorExit: print('closed'); raise
it = g(); next(it); it.close()
""",
    "names of every kind": """
_ = 1; __ = 2; _x = 3; __y = 4; __version__ = '1.0'; __author__ = 'me'
'not a docstring'
def __helper(a, /, _b=1, *, __c=2): return a + _b + __c
class Outer:
    __slots__ = ('__a', '_b', '__dict__')
    __hidden = 5
    class Inner:
        __deep = 6
        def get(self): return self.__deep
    def __init__(self): self.__a = 1; self._b = 2
    def get(self): return self.__a, getattr(self, '_Outer__a'), self.__hidden, type(self).__hidden
    def __secret(self): return 's'
    def call(self): return self.__secret()
o = Outer(); setattr(o, '_Outer__a', 9)
print(_, __, _x, __y, __version__, __helper(1), o.get(), o.call(), Outer.Inner().get(), o._Outer__secret(), __name__, __doc__, __debug__)
for _ in range(2): pass
print(_, [(__, y) for __, y in [(1, 2)]])
x = 1
def f():
    global x, Made
    x += 1
    class Made: pass
    def g():
        nonlocal_ = 1
        return nonlocal_
    return g()
f(); print(x, Made.__qualname__)
def eval(t): return t * 2
def compile(t): return t
class Parser:
    def eval(self, s): return eval(s)
    def compile(self): return self.eval('a')
print(eval(2), compile(3), Parser().compile())
""",
    "names with a meaning of one's own": """
__build__ = 7
class Table:
    __tablename__ = 't'
    __array_priority__ = 10
    def __json__(self): return {'t': self.__tablename__}
    def __init__(self): self.__mine__ = 1
t = Table(); t.__mine__ += 1; setattr(t, '__other__', 3)
print(__build__, t.__json__(), Table.__array_priority__, t.__mine__, t.__other__, getattr(t, '__nope__', None))
""",
    "namespaces as data": """
a = 1
def f(x, y=2):
    z = x + y
    d = dict(locals()); del d['y']; e = dict(vars())
    return d, e['z'],  sorted(dir())
print(f(1)); print('a' in globals(), globals()['a'], 'f' in vars(), callable(globals().get('f')), '%(a)s' % globals(), '{a}'.format(**globals()))
class C:
    x = 1
    names = sorted(n for n in locals() if not n.startswith('__'))
print(C.names)
""",
    "patterns of every kind": """
from dataclasses import dataclass
from enum import Enum
class Color(Enum):
    RED = 1
    BLUE = 2
class P:
    __match_args__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
def f(v):
    match v:
        case Color.RED: return 'red'
        case P(0, y=yy): return ('p0', yy)
        case P(x, y) if x == y: return ('diag', x)
        case P(): return 'p'
        case [1, [2, *_], *rest]: return rest
        case {'a': {'b': b}, **kw}: return (b, kw)
        case (int() | float()) as n if n < 0: return ('neg', n)
        case -1 | 'x' | None | True: return 'lit'
        case str(s) if s: return s.upper()
        case list() | tuple() as seq: return len(seq)
        case _: return '?'
print([f(v) for v in (Color.RED, P(0, 2), P(3, 3), P(1, 2), [1, [2, 3], 4, 5], {'a': {'b': 1}, 'c': 2}, -2, True, None, 'hey', (7, 8), set())])
""",
    "star-expressions and parameters": """
def f(a, b=2, /, c=3, *args, d, e=5, **kw): return a, b, c, args, d, e, kw
print(f(1, *[2, 3], *(4,), d=6, **{'z': 1}, **{'y': 2}))
first, (second, *mid), *_, last = 1, (2, 3, 4), 5, 6
print([*range(2), *'ab'], {*[1], *[2]}, {**{'a': 1}, 'b': 2}, first, second, mid, last)
def g(): return *[1, 2], 3
for x, *y in [(1, 2, 3), (4,)]: print(x, y)
print(g(), (lambda *a, k=1, **kw: (a, k, kw))(1, k=2, z=3), [y := 5, y ** 2], any((w := n) > 1 for n in [1, 2]), w)
a = b = c = []; a[len(a):] = [1]; print(b); del a[0], c; x, y = (y, x) = 1, 2; print(x, y)
fs = [lambda x, n=n: x * n for n in range(3)]; print([f(2) for f in fs])
""",
    "annotations are kept": """
from typing import get_type_hints, Optional, List
from functools import singledispatch
from dataclasses import dataclass, fields
def f(x: int, y: 'Optional[str]' = None, *a: float, **k: List[int]) -> 'dict[str, int]': ...
print(f.__annotations__, get_type_hints(f))
@dataclass
class P:
    x: int
    y: 'Optional[P]' = None
print(get_type_hints(P), [(g.name, g.type) for g in fields(P)])
@singledispatch
def show(v): return 'any'
@show.register
def _(v: int): return 'int'
@show.register
def _(v: list): return 'list'
@show.register(str)
def _(v): return 'str'
print(show(1), show([]), show(''), show(2.0), show(True))
""",
    "annotations of the future": """
from __future__ import annotations
from typing import get_type_hints
class Node:
    nxt: Node | None = None
    def link(self, o: Node, *, how: Unknown = 1) -> Node: self.nxt = o; return self
print(Node.link.__annotations__, get_type_hints(Node), Node().link(Node()).nxt is not None)
x: nonsense[1 + ] = 1 if False else 2
""".replace("nonsense[1 + ]", "nonsense[1]"),
    "builtins": """
print(abs(-1), ascii('é'), callable(print), chr(97), complex(1, 2), hash(1), id(1) == id(1), repr('a'), bytes(memoryview(b'abc')[1:]), isinstance(True, (int, str)), slice(1, 2).indices(5))
print(sum([[1], [2]], []), pow(3, -1, 7), round(2.5), sorted('bca', reverse=True), list(zip('ab', 'cd', strict=True)), max('abc', key=ord), min([], default=0), int('ff', 16), bin(3))
print(type(1).__name__, type([]) == list, type(None), type(...), type(lambda: 0).__name__, type(print).__name__ in ('method', 'builtin_function_or_method', 'function'))
b = bytearray(b'ab'); b[0] = 120; m = memoryview(b); m[1] = 121; print(b, m.tolist(), NotImplemented, Ellipsis)
print(*map(lambda f: f.__name__, [len, sum, max]), sep=','); print(str(object())[:15], frozenset([1]) | {2})
""",
    "contexts": """
from contextlib import contextmanager, ExitStack, suppress
class M:
    def __init__(self, n): self.n = n
    def __enter__(self): print('enter', self.n); return self.n
    def __exit__(self, kind, value, tb): print('exit', self.n, kind and kind.__name__); return self.n == 2
with M(1) as a, M(2) as b, M(3): print(a, b); raise ValueError
with (M(4) as c, M(5)): pass
@contextmanager
def cm():
    try: yield 'y'
    except KeyError: print('caught')
    finally: print('finally')
with cm() as y: raise KeyError
def f():
    with M(6):
        for i in range(3):
            with suppress(ZeroDivisionError): 1 / 0
            if i == 1: return 'ret'
print(f())
def g():
    while True:
        try: return 'a'
        finally: break
    return 'b'
print(g())
class Silent:
    def close(self, *a): return True
    def __enter__(self): return self
    __exit__ = close
with Silent(): 1 / 0
""",
    "leaving at the end": "import sys\ndef main(): print('done'); return 0\nif __name__ == '__main__':\n    sys.exit(main())",
    "leaving at the end by an exception": "def main(): print('done')\nraise SystemExit(main())",
    "leaving at the end by the builtin": "print(1)\nexit(0)",
    "generics and protocols": """
from typing import Generic, TypeVar, Protocol, runtime_checkable, NamedTuple, TypedDict, Callable, Any
T = TypeVar('T')
class Stack(Generic[T]):
    def __init__(self) -> None: self._items: list[T] = []
    def push(self, x: T) -> 'Stack[T]': self._items.append(x); return self
    def __len__(self) -> int: return len(self._items)
@runtime_checkable
class Sized(Protocol):
    def __len__(self) -> int: ...
class Row(NamedTuple):
    a: int
    b: str = 'z'
    def both(self): return self.a, self.b
class Opt(TypedDict, total=False):
    name: str
s: Stack[int] = Stack[int]().push(1)
print(len(s), isinstance(s, Sized), isinstance([], Sized), isinstance(1, Sized), Row(1)._replace(b='q'), Row(2).both(), Row._fields, Opt(name='x'), Stack[int].__origin__ is Stack, list[int].__args__, Stack.__parameters__)
""",
    "super in all its forms": """
class A:
    def __init__(self, x=0, **kw): self.x = x; super().__init__(**kw)
    def _hidden(self): return 'A'
    @classmethod
    def make(cls, *a): return cls(*a)
    @property
    def p(self): return 1
class M:
    def __init__(self, m=0, **kw): self.m = m; super().__init__(**kw)
class B(A, M):
    def __init__(self, x, m): super().__init__(x=x, m=m)
    def _hidden(self): return 'B' + super()._hidden() + super(B, self)._hidden()
    @classmethod
    def make(cls, *a): return super().make(*a)
    @property
    def p(self): return super().p + 1
    def __new__(cls, *a, **k): return super().__new__(cls)
b = B.make(1, 2); print(b.x, b.m, b._hidden(), b.p, A.__init__(b, x=5, m=6), b.x)
class L(list):
    def __init__(self, *a): super().__init__(*a); self.n = 1
    def __getitem__(self, i): return list.__getitem__(self, i) * 2
    def append(self, x): super().append(x); return self
class D(dict):
    def __missing__(self, k): self[k] = k * 2; return self[k]
    def __setitem__(self, k, v): dict.__setitem__(self, k, v)
class S(str):
    def __new__(cls, v): o = str.__new__(cls, v.upper()); o.raw = v; return o
class T(tuple):
    def __new__(cls, *a): return super().__new__(cls, a)
print(L([1]).append(2)[1], D()['a'], S('ab'), S('ab').raw, T(1, 2), isinstance(S('x'), str))
""",
    "copies": """
import copy
class P:
    def __init__(self, x): self.x, self._y, self.me = x, [1], self
class Q:
    def __init__(self): self.a = [1]
    def __copy__(self): q = Q(); q.copied = True; return q
    def __deepcopy__(self, memo): q = type(self).__new__(type(self)); memo[id(self)] = q; q.a = copy.deepcopy(self.a, memo); return q
class R:
    __slots__ = ('a',)
    def __getstate__(self): return {'a': 1}
    def __setstate__(self, s): self.a = s['a'] + 1
p = copy.deepcopy(P(3)); print(p.x, p.me is p, copy.copy(p)._y is p._y, copy.copy(Q()).copied, copy.deepcopy(Q()).a, copy.copy(R()).a)
e = copy.copy(ValueError('m')); print(e)
""",
    "weak spots of stores": """
class C: pass
c = C(); c.d = {}; c.l = [[0, 1], [2, 3]]; c.o = C(); c.o.o = C()
c.d['a'] = 1; c.d['a'] += 2; c.l[0][1] += 5; c.o.o.x = [1]; c.o.o.x[0] -= 3; c.o.o.x += [4]; c.l[1], c.o.y = 9, 8
(c.z, *c.rest), c.d['t'] = (1, 2, 3), 4
for c.i in range(3): pass
for c.d['loop'] in 'ab': pass
del c.l[0], c.d['a'], c.o.o.x
with open_() as c.w: pass
import sys as s_
print(c.d, c.l, c.o.y, c.z, c.rest, c.i, c.w, hasattr(c.o.o, 'x'))
def f(x): x.n = 1; x.d['q'] = [k for k in range(3)]; x.d['q'][1] = x.n; return x.d['q']
print(f(c), (lambda o: [setattr(o, 'k', i) for i in range(2)])(c), c.k)
class E:
    total = 0; log = []; log.append(1); log[0] = 2; counts = {}; counts['x'] = counts.get('x', 0) + 1
    def up(self, n): self.total += n; self._p = n; self._p += 1; return [self._p for _ in range(2)], (lambda: self._p)(), self
e, got = E(), E().up(3)[:2]; print(e.total, got, E.log, E.counts)
""".replace(
        "class C: pass",
        "from contextlib import nullcontext\ndef open_(): return nullcontext('w')\nclass C: pass",
        1,
    ),
}


def in_plain_python(source: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", source],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "0"},
    )
    return ran.stdout


@pytest.mark.parametrize("name", SNIPPETS)
def test_it_prints_what_it_prints_in_plain_python(pool: Pool, name: str) -> None:
    source = SNIPPETS[name]
    outcome = pool.run(Program((Module("main", source),), "script", "main"))
    assert outcome.verdict is Verdict.PASSED, (outcome.message, outcome.line)
    assert "".join(f"{line.text}\n" for line in outcome.log) == in_plain_python(source)
