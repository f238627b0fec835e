"""Everyday uses of every module that is offered; each prints what plain Python prints, too."""
# ruff: noqa: E501

from __future__ import annotations

import sys

# From Python 3.13 on, what is skipped counts as attempted.
SKIPPED = "    >>> 1 / 0  # doctest: +SKIP\n" if sys.version_info < (3, 13) else ""

# Releases of Python that get a module wrong: there, it isn't compared.
MISTAKEN = {"unittest": (3, 12, 1)}  # where what is skipped didn't count as run
# What newer releases say in other words.
REWORDED = {
    "1 item had failures": "1 items had failures",
    "***Test Failed*** 1 failure.": "***Test Failed*** 1 failures.",
}

USES: dict[str, str] = {
    "abc": (
        "from abc import ABC, ABCMeta, abstractmethod, abstractproperty\nclass A(ABC):\n    @property\n    @abstractmethod\n    def n(self): ...\n"
        "class B(A):\n    n = 3\nprint(B().n, isinstance(B, ABCMeta), isinstance(3, ABCMeta), A.__abstractmethods__)\ntry: A()\nexcept TypeError as e: print(e)\n"
        "class M(metaclass=ABCMeta): pass\n@M.register\nclass N: pass\nprint(issubclass(N, M))"
    ),
    "argparse": (
        "import argparse, contextlib, io, sys\nclass Upper(argparse.Action):\n    def __init__(self, option_strings, dest, nargs=None, **more):\n        super().__init__(option_strings, dest, **more)\n    def __call__(self, parser, namespace, values, option_string=None):\n        setattr(namespace, self.dest, values.upper())\nclass Quiet(argparse.ArgumentParser):\n    def error(self, message): raise ValueError(message)\n"
        "p = argparse.ArgumentParser('app', description='What %(prog)s does', formatter_class=argparse.ArgumentDefaultsHelpFormatter)\np.add_argument('names', nargs='*', default=['x'], help='some names')\np.add_argument('-c', '--count', type=int, choices=[1, 2, 3], default=1, help='how often')\np.add_argument('-D', '--define', dest='pairs', action='append', type=lambda s: tuple(s.split('=')))\np.add_argument('-u', action=Upper)\n"
        "p.add_argument('--flag', action=argparse.BooleanOptionalAction)\np.add_argument('--extend', action='extend', nargs='+')\np.add_argument('--hidden', help=argparse.SUPPRESS, default=argparse.SUPPRESS)\ng = p.add_argument_group('more', 'and more').add_mutually_exclusive_group(required=False)\ng.add_argument('--yes', action='store_true')\ng.add_argument('--no', dest='yes', action='store_false')\nargs = p.parse_args(['a', 'b', '-c2', '-D', 'k=v', '-D', 'x=y', '-u', 'abc', '--no-flag', '--extend', '1', '2', '--no'])\n"
        "print(args, vars(args) == args.__dict__, 'u' in args, args == argparse.Namespace(**vars(args)))\nargs.extra = 1\nvars(args)['more'] = 2\nprint(args.extra, args.more, p.parse_args([]), p.get_default('count'), p.parse_known_args(['--zzz', '1']))\np.print_help()\nsub = Quiet('q', parents=[argparse.ArgumentParser(add_help=False)], prefix_chars='-+')\nsub.add_argument('+x', required=True)\nsub.description = 'changed'\n"
        "print(sub.parse_args(['+x', '1'], namespace=argparse.Namespace(x=0, y=1)))\nfor bad in ([], ['+y'], ['+x', '1', '2']):\n    try: sub.parse_args(bad)\n    except ValueError as e: print(e)\nerr = io.StringIO()\nwith contextlib.redirect_stderr(err):\n    for bad in (['-c', '9'], ['-c', 'x'], ['--yes', '--no'], ['--bad']):\n        try: p.parse_args(bad)\n        except SystemExit as e: print(e.code)\nprint(err.getvalue())\n"
        "class Mine: pass\nmine = Mine()\nprint(p.parse_args(['q'], namespace=mine) is mine, mine.names, repr(p), p.format_usage())\ntry: p.add_argument('--yes')\nexcept argparse.ArgumentError as e: print(e)\nsys.argv = ['x', '-c', '3']\nprint(p.parse_args().count, argparse.ArgumentParser().prog)\ntry: p.parse_args(['-h'])\nexcept SystemExit as e: print(e.code)"
    ),
    "array": "from array import array\na = array('d', [1, 2])\na.append(3.5)\na[0] = 9\nprint(a, a.tobytes()[:4], a.itemsize, sum(a))",
    "ast": (
        "import ast\nprint(ast.literal_eval(\"{'a': [1, (2, None)]}\"))\nt = ast.parse('1 + x * 2', mode='eval')\nprint(ast.dump(t))\n"
        "class V(ast.NodeVisitor):\n    def visit_Name(self, node): print('name', node.id)\nV().visit(t)\n"
        "match t.body:\n    case ast.BinOp(left, op, right): print(type(op).__name__, left.value)\n"
        "class T(ast.NodeTransformer):\n    def visit_Constant(self, node): return ast.Constant(node.value + 1)\nprint(ast.unparse(T().visit(t)), len(list(ast.walk(t))))\nn = ast.fix_missing_locations(ast.copy_location(ast.Constant(5), t.body))\nprint(n.lineno, ast.increment_lineno(n, 2).lineno, ast.get_docstring(ast.parse(\"'doc'\")))"
    ),
    "asyncio": (
        "import asyncio\nasync def work(n, out):\n    await asyncio.sleep(n / 20)\n    out.append(n)\n    return n * 2\n"
        "async def main():\n    out = []\n    print(await asyncio.gather(*(work(n, out) for n in (3, 1, 2))), out)\n"
        "    q = asyncio.Queue(2)\n    async def produce():\n        for i in range(4): await q.put(i)\n        await q.put(None)\n"
        "    p = asyncio.create_task(produce(), name='p')\n    got = []\n    while (x := await q.get()) is not None: got.append(x)\n    await p\n    print(got, p.get_name(), p.done(), p.get_stack())\n"
        "    try:\n        async with asyncio.timeout(0.001): await asyncio.sleep(1)\n    except TimeoutError: print('late')\n"
        "    try: await asyncio.wait_for(asyncio.Event().wait(), 0.001)\n    except asyncio.TimeoutError: print('late again')\n"
        "    async with asyncio.TaskGroup() as g:\n        a = g.create_task(work(1, out)); b = g.create_task(work(0, out))\n    print(a.result(), b.result())\n"
        "    lock, sem, cond = asyncio.Lock(), asyncio.Semaphore(1), asyncio.Condition()\n    async with lock, sem, cond: print(lock.locked(), sem.locked())\n"
        "    done, left = await asyncio.wait([asyncio.create_task(work(0, out)), asyncio.create_task(asyncio.sleep(9))], return_when=asyncio.FIRST_COMPLETED)\n    print(len(done), len(left))\n"
        "    for c in asyncio.as_completed([work(2, out), work(1, out)]): print(await c)\n"
        "    t = asyncio.create_task(asyncio.sleep(9)); t.cancel()\n    try: await t\n    except asyncio.CancelledError: print('cancelled', t.cancelled())\n"
        "    loop = asyncio.get_running_loop(); f = loop.create_future(); loop.call_later(0.001, f.set_result, 7)\n    print(await asyncio.shield(f), asyncio.current_task() in asyncio.all_tasks())\n"
        "    print(await asyncio.gather(work(1, out), asyncio.sleep(0, 'x'), return_exceptions=True))\n"
        "    async def numbers():\n        for i in range(3):\n            yield i\n            await asyncio.sleep(0)\n    print([i async for i in numbers() if i])\n    return 'end'\n"
        "print(asyncio.run(main()), asyncio.iscoroutine(main))"
    ),
    "base64": "import base64\nprint(base64.b64encode(b'hi?'), base64.urlsafe_b64decode('aGk_'), base64.b32encode(b'x'), base64.a85encode(b'abc'))",
    "binascii": "import binascii\nprint(binascii.hexlify(b'az', ':'), binascii.crc32(b'x'))\ntry: binascii.unhexlify('0')\nexcept binascii.Error as e: print(e)",
    "bisect": "import bisect\na = [1, 3]\nbisect.insort(a, 2)\nprint(a, bisect.bisect_left(a, 3, key=lambda n: n))",
    "calendar": "import calendar\nprint(calendar.month(2024, 2), calendar.monthrange(2023, 2), calendar.day_name[0], calendar.isleap(2000))\nprint(calendar.TextCalendar(6).formatmonth(2021, 5))",
    "cmath": "import cmath\nprint(cmath.sqrt(-4), cmath.polar(1j), cmath.isclose(cmath.exp(1j * cmath.pi), -1))",
    "codecs": "import codecs\nprint(codecs.encode('Hello', 'rot13'), codecs.decode(b'6869', 'hex'), codecs.BOM_UTF8, codecs.getincrementaldecoder('utf-8')().decode(b'\\xc3\\xa9'))",
    "collections": (
        "from collections import *\nimport collections\nc = Counter('abca')\nc.update('a')\nd = deque([1, 2, 3], maxlen=3)\nd.rotate(1)\nd.append(9)\nm = ChainMap({'a': 1}, {'b': 2})\n"
        "P = namedtuple('P', 'x y', defaults=[0])\no = OrderedDict(a=1, b=2)\no.move_to_end('a')\n"
        "print(c.most_common(2), d, m['b'], P(1)._replace(y=3), o, P._fields, c & Counter('a'))\n"
        "class L(UserDict):\n    def __getitem__(self, k): return super().__getitem__(k.lower())\nl = L({'a': 1})\nprint(l['A'], l.copy(), type(l.copy()).__name__, UserList([1]).copy(), UserString('x').upper())\n"
        "dd = defaultdict(lambda: defaultdict(int))\ndd['a']['b'] += 1\nprint(dict(dd['a']), namedtuple('Q', 'format obj')(1, 2))"
    ),
    "collections.abc": "import collections.abc\nfrom collections import abc\nfrom collections.abc import Mapping, Sequence, Iterable\nclass S(Sequence):\n    def __len__(self): return 3\n    def __getitem__(self, i): return [5, 6, 7][i]\nprint(list(reversed(S())), 6 in S(), S().index(7), isinstance({}, Mapping), isinstance([], abc.Iterable), collections.abc.Set.__name__)",
    "colorsys": "import colorsys\nprint(colorsys.rgb_to_hsv(0.2, 0.4, 0.4))",
    "configparser": "import configparser, io\np = configparser.ConfigParser()\np.read_string('[a]\\nx = 1\\ny = %(x)s2\\n[b]\\nz: yes')\nprint(p.sections(), p['a']['y'], p.getint('a', 'x'), p['b'].getboolean('z'), p.get('a', 'q', fallback='-'))\np['c'] = {'k': 'v'}\nout = io.StringIO()\np.write(out)\nprint(out.getvalue())\ntry: p['nope']\nexcept KeyError as e: print(e)",
    "contextlib": (
        "import asyncio, contextlib, io, sys\nfrom contextlib import *\nb = io.StringIO()\nwith redirect_stdout(b):\n    print('caught')\n    sys.stdout.write('too')\nprint(repr(b.getvalue()))\n"
        "with redirect_stderr(io.StringIO()) as e: print('x', file=sys.stderr)\nprint(e.getvalue())\n"
        "@contextmanager\ndef tag(n):\n    print('<', n)\n    try: yield n\n    finally: print('>', n)\nwith ExitStack() as s:\n    for n in 'ab': s.enter_context(tag(n))\n    s.callback(print, 'called')\n"
        "@tag('deco')\ndef f(): print('in')\nf()\nwith suppress(ZeroDivisionError): 1 / 0\nwith closing(io.StringIO('x')) as c: pass\nprint(c.closed)\nwith nullcontext(5) as n: print(n)\n"
        "@asynccontextmanager\nasync def at():\n    yield 'a'\nasync def main():\n    async with at() as a, AsyncExitStack() as st: print(a)\n    async def g():\n        yield 1\n    async with aclosing(g()) as gen: print([x async for x in gen])\nasyncio.run(main())\n"
        "class C(ContextDecorator):\n    def __enter__(self): print('in'); return self\n    def __exit__(self, *e): print('out')\n@C()\ndef h(): pass\nh()"
    ),
    "contextvars": "import contextvars\nv = contextvars.ContextVar('v', default=1)\nt = v.set(2)\nc = contextvars.copy_context()\nv.reset(t)\nprint(v.get(), c[v], c.run(v.get))",
    "copy": (
        "import copy\nfrom dataclasses import dataclass\nfrom decimal import Decimal\n@dataclass\nclass P:\n    a: list\nclass S:\n    __slots__ = ('x', '_y')\n    def __init__(self): self.x, self._y = [1], 2\n"
        "class H:\n    def __init__(self): self.n = [1]\n    def __copy__(self): return 'copied'\n    def __deepcopy__(self, memo): return ('deep', copy.deepcopy(self.n, memo))\n"
        "class L(list):\n    pass\np = P([1, [2]])\nq, r = copy.copy(p), copy.deepcopy(p)\np.a[1].append(3)\nprint(q, r, copy.copy(H()), copy.deepcopy(H()))\ns = copy.deepcopy(S())\nprint(s.x, s._y)\n"
        "l = L([1, {2}])\nl.tag = 'x'\nm = copy.deepcopy(l)\nprint(m, type(m).__name__, m.tag, copy.deepcopy(Decimal('1.5')), copy.copy(print) is print, copy.deepcopy(P) is P)\n"
        "a = []\na.append(a)\nb = copy.deepcopy(a)\nprint(b[0] is b)\nclass E(ValueError):\n    def __init__(self, m): super().__init__(m); self.code = 5\nprint(copy.copy(E('x')).code)"
    ),
    "csv": "import csv, io\nout = io.StringIO()\nw = csv.DictWriter(out, ['a', 'b'])\nw.writeheader()\nw.writerow({'a': 'x,y', 'b': 'q\"'})\nprint(repr(out.getvalue()), list(csv.DictReader(io.StringIO(out.getvalue()))), list(csv.reader(['1;2'], delimiter=';')))",
    "dataclasses": (
        "from __future__ import annotations\nfrom dataclasses import *\nfrom typing import ClassVar\n@dataclass(order=True)\nclass A:\n    n: int\n    total: ClassVar[int] = 7\n    _: KW_ONLY\n    seed: InitVar[int] = 1\n    tags: list[str] = field(default_factory=list, compare=False, repr=False)\n"
        "    def __post_init__(self, seed): self.m = seed\na = A(1, seed=4)\nprint(a, a.m, A.total, [f.name for f in fields(A)], asdict(a), astuple(a), replace(a, n=2, seed=0), a < A(2))\n"
        "@dataclass(frozen=True, slots=True)\nclass F:\n    x: int = 0\ntry: F().x = 1\nexcept FrozenInstanceError as e: print(e)\nprint(F(2), hash(F(2)) == hash(F(2)), is_dataclass(F))\n"
        "P = make_dataclass('P', ['x', ('y', int, field(default=5))], namespace={'sum': lambda self: self.x + self.y})\nprint(P(1), P(1).sum())"
    ),
    "datetime": (
        "from datetime import *\nd = datetime(2024, 2, 29, 13, 5, tzinfo=timezone.utc)\nprint(d.isoformat(), d + timedelta(days=366), d.strftime('%A %d %B %Y %H:%M %z %j'), date.fromisoformat('2020-01-05').weekday(), datetime.strptime('5 Mar 21', '%d %b %y'))\n"
        "print(f'{d:%Y/%m}', timedelta(hours=30), time(4, 5).replace(minute=9), (date(2024, 1, 1) - date(2023, 1, 1)).days, d.astimezone(timezone(timedelta(hours=2))))"
    ),
    "decimal": "from decimal import *\ngetcontext().prec = 6\nprint(Decimal(1) / 7, Decimal('2.675').quantize(Decimal('.01'), ROUND_HALF_UP), f\"{Decimal('1234.5'):,.2f}\", Decimal(2).sqrt(), repr(Decimal('NaN')))\nwith localcontext() as c:\n    c.prec = 3\n    print(Decimal(10) / 3)\ntry: Decimal(1) / 0\nexcept DivisionByZero as e: print(type(e).__name__)",
    "difflib": "import difflib\nprint('\\n'.join(difflib.unified_diff(['a', 'b'], ['a', 'c'], lineterm='')), difflib.get_close_matches('appel', ['ape', 'apple']), difflib.SequenceMatcher(None, 'abcd', 'bcde').ratio(), list(difflib.ndiff(['x'], ['y'])), len(difflib.HtmlDiff().make_table(['a'], ['b'])) > 100)",
    "doctest": (
        "'Twice.\\n\\n>>> double(4)\\n8\\n>>> double(4)\\n9\\n'\nimport contextlib, doctest, io\ndef double(x):\n    \"\"\"\n    >>> double(2)\n    4\n    >>> double([1])\n    [1, 1]\n    >>> double(None)\n    Traceback (most recent call last):\n      ...\n    TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'\n"
        "    >>> list(range(20))  # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE\n    [0,   1, ..., 19]\n"
        + SKIPPED
        + '    >>> print(\'a\\\\n\\\\nb\')\n    a\n    <BLANKLINE>\n    b\n    >>> for i in range(2):\n    ...     i\n    0\n    1\n    >>> double(1) == 2\n    1\n    """\n    return x * 2\n'
        "class Box:\n    \"\"\"\n    >>> b = Box()\n    >>> b.size\n    3\n    \"\"\"\n    @property\n    def size(self):\n        '>>> Box().size + 1\\n4'\n        return 3\nout = io.StringIO()\nwith contextlib.redirect_stdout(out): result = doctest.testmod()\nprint(result, [line for line in out.getvalue().split('\\n') if not line.startswith('File')])\n"
        "with contextlib.redirect_stdout(out): result = doctest.testmod(extraglobs={'double': len}, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)\nprint(result.failed, result.attempted)"
    ),
    "enum": (
        "import enum\nfrom enum import *\nclass C(Enum):\n    A = auto()\n    B = 'b'\n    @property\n    def low(self): return self.name.lower()\n    @classmethod\n    def _missing_(cls, v): return cls.A\n"
        "print(list(C), C('zzz'), C['B'].low, C.A in C, isinstance(C, EnumMeta), len(C), C.__members__.keys())\nclass P(IntFlag):\n    R = 4\n    W = 2\n"
        "print(P.R | P.W, P(6), P.R in P(6), ~P.R)\nclass S(StrEnum):\n    X = auto()\nprint(S.X, S.X + 'y', f'{S.X}')\nE = Enum('E', 'one two')\nprint(E.two.value, [e.name for e in Enum('F', {'x': 1, 'y': 2})], IntEnum('G', ['k']).k + 1)\n"
        "@unique\nclass U(Enum):\n    a = 1\n@verify(CONTINUOUS)\nclass V(IntEnum):\n    a, b = 1, 2\nclass M(Enum):\n    @member\n    def f(): pass\n    g = nonmember(5)\n    def __new__(cls, v):\n        o = object.__new__(cls)\n        o._value_ = 'made'\n        return o\nprint(M.f.name, M.g)\n"
        "class Planet(Enum):\n    EARTH = (5.97, 6.37)\n    def __init__(self, mass, radius): self.mass, self.radius = mass, radius\nprint(Planet.EARTH.mass)"
    ),
    "errno": "import errno\nprint(errno.ENOENT, errno.errorcode[2])",
    "fnmatch": "import fnmatch\nprint(fnmatch.fnmatch('a.py', '*.py'), fnmatch.filter(['x1', 'y'], 'x?'), fnmatch.translate('*.t'))",
    "fractions": "from fractions import Fraction as F\nprint(F('0.125') + F(1, 3), F(3.5).limit_denominator(2), F(-7, 2) // 1, F(1, 3) < 0.34, round(F(22, 7), 2))",
    "functools": (
        "from functools import *\nimport functools\n@cache\ndef fib(n):\n    'doc'\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(50), fib.cache_info(), fib.__name__, fib.__doc__, fib.__wrapped__.__name__)\n"
        "def deco(f):\n    @wraps(f)\n    def inner(*a): return f(*a)\n    return inner\ndef g(x):\n    'g doc'\ng.tag = 1\nh = deco(g)\nprint(h.__name__, h.__doc__, h.tag, h.__wrapped__ is g)\n"
        "class D:\n    def __init__(self, f): update_wrapper(self, f)\n    def __call__(self): return self.__wrapped__(2)\n@D\ndef sq(x=3):\n    return x * x\nprint(sq(), sq.__name__)\n"
        "@singledispatch\ndef show(x): return 'any'\n@show.register\ndef _(x: int): return 'int'\n@show.register(list)\n@show.register(tuple)\ndef _(x): return 'seq'\nprint(show(1), show([]), show(()), show(''), show.dispatch(bool)(1))\n"
        "class K:\n    @singledispatchmethod\n    def f(self, x): return 'any'\n    @f.register\n    def _(self, x: str): return 'str'\n    @cached_property\n    def big(self):\n        print('once')\n        return 9\n    def add(self, a, b): return a + b\n    inc = partialmethod(add, 1)\nk = K()\nprint(k.f(1), k.f(''), k.big, k.big, k.inc(2))\n"
        "@total_ordering\nclass T:\n    def __init__(self, n): self.n = n\n    def __eq__(self, o): return self.n == o.n\n    def __lt__(self, o): return self.n < o.n\nprint(T(1) <= T(2), T(2) >= T(3), sorted('cab', key=cmp_to_key(lambda a, b: (a < b) - (a > b))), reduce(lambda a, b: a * b, [1, 2, 3]), partial(int, base=2)('11'))"
    ),
    "gc": "import gc\nclass A: pass\na = A()\na.a = a\ngc.collect()\ndel a\nprint(gc.collect() > 0, gc.isenabled(), len(gc.get_count()))\ngc.disable()\nprint(gc.isenabled())\ngc.enable()\nprint(gc.isenabled())",
    "graphlib": "import graphlib\nt = graphlib.TopologicalSorter({'d': {'b', 'c'}, 'b': {'a'}, 'c': {'a'}})\nprint(list(t.static_order())[0])\ntry: list(graphlib.TopologicalSorter({1: [2], 2: [1]}).static_order())\nexcept graphlib.CycleError as e: print(e.args[0])",
    "hashlib": "import hashlib\nh = hashlib.sha256(b'a')\nh.update(b'b')\nprint(h.hexdigest(), hashlib.md5(b'').hexdigest(), hashlib.new('sha1', b'x').hexdigest(), hashlib.blake2b(b'x', digest_size=4).hexdigest(), hashlib.pbkdf2_hmac('sha256', b'p', b's', 2).hex()[:8], hashlib.sha3_256().name)",
    "heapq": "import heapq\nh = [5, 1, 4]\nheapq.heapify(h)\nheapq.heappush(h, 0)\nprint(heapq.heappop(h), heapq.nlargest(2, h), heapq.heapreplace(h, 9), list(heapq.merge([1, 4], [2])), h)",
    "hmac": "import hmac\nprint(hmac.new(b'k', b'm', 'sha256').hexdigest(), hmac.compare_digest('a', 'a'), hmac.digest(b'k', b'm', 'md5').hex())",
    "html": "import html\nprint(html.escape('<a href=\"x\">'), html.unescape('&eacute;&lt;&#x41;'))",
    "html.entities": "from html.entities import html5, name2codepoint, codepoint2name\nprint(html5['gt;'], name2codepoint['amp'], codepoint2name[233])",
    "html.parser": "from html.parser import HTMLParser\nclass P(HTMLParser):\n    def __init__(self):\n        super().__init__()\n        self.seen = []\n    def handle_starttag(self, tag, attrs): self.seen.append((tag, attrs))\n    def handle_data(self, data): self.seen.append(data)\np = P()\np.feed('<a href=x>hi &amp; you<br/></a>')\nprint(p.seen)",
    "inspect": (
        "import inspect\ndef spec(a, *b, c: int = 3, **d): pass\nprint(inspect.getfullargspec(spec))\n"
        "import inspect\ndef f(a, /, b: int = 2, *args, c, **kw) -> str:\n    '''  Doc.\n\n       More.'''\ns = inspect.signature(f)\nprint(s, list(s.parameters), s.parameters['b'].default, s.parameters['c'].kind, s.bind(1, c=3).arguments)\n"
        "print(inspect.getdoc(f), inspect.isfunction(f), inspect.isclass(int), inspect.isgeneratorfunction(f), [n for n, _ in inspect.getmembers(3, callable) if not n.startswith('_')])\n"
        "class A:\n    def m(self, x): pass\nprint(inspect.signature(A().m), inspect.signature(len), inspect.getmro(A)[0].__name__, inspect.Parameter.empty is s.parameters['a'].default)"
    ),
    "io": "import io\ns = io.StringIO('a\\nb\\n')\nprint(s.readline(), s.read(), s.seek(0), [l for l in s])\nb = io.BytesIO()\nb.write(b'xyz')\nb.seek(1)\nprint(b.read(), b.getbuffer()[0], io.TextIOWrapper(io.BytesIO('é\\nz'.encode()), encoding='utf-8').readlines(), isinstance(s, io.IOBase), io.SEEK_END)\nprint('via file', file=s)\nprint(s.getvalue())",
    "ipaddress": "import ipaddress\nn = ipaddress.ip_network('10.0.0.0/30')\nprint(list(n.hosts()), ipaddress.ip_address('::1').is_loopback, ipaddress.IPv4Address('1.2.3.4') in n, n.netmask)",
    "itertools": "from itertools import *\nprint(list(chain([1], [2])), list(combinations('abc', 2)), list(accumulate([1, 2, 3])), [(k, list(g)) for k, g in groupby('aab')], list(islice(count(5), 2)), list(zip_longest('ab', 'c')), list(product([0, 1], repeat=2)), list(pairwise('xyz')), next(cycle('q')), list(permutations('ab')), [list(t) for t in tee([1])])",
    "json": "import json, io\nclass E(json.JSONEncoder):\n    def default(self, o): return sorted(o)\nprint(json.dumps({'b': [1, None, True], 'a': 'é'}, indent=1, sort_keys=True), json.dumps({3, 1}, cls=E), json.loads('[1.5, {\"x\": null}]', parse_float=str))\nout = io.StringIO()\njson.dump([1], out)\nprint(out.getvalue(), json.load(io.StringIO('{}')))\ntry: json.loads('[1,')\nexcept json.JSONDecodeError as e: print(e, e.pos)",
    "json.decoder": "from json.decoder import JSONDecodeError, JSONDecoder\nprint(JSONDecoder().raw_decode('[1] x'), issubclass(JSONDecodeError, ValueError))",
    "json.encoder": "from json.encoder import JSONEncoder\nprint(JSONEncoder(separators=(',', ':')).encode({'a': [1, 2]}), list(JSONEncoder().iterencode([1]))[0])",
    "keyword": "import keyword\nprint(keyword.iskeyword('for'), keyword.softkwlist, 'if' in keyword.kwlist)",
    "logging": (
        "import io, logging, sys\nout = io.StringIO()\nlogging.basicConfig(level=logging.DEBUG, stream=out, format='%(levelname)-7s %(name)s: %(message)s')\nlog = logging.getLogger('a.b')\nlog.debug('n=%d %s', 3, 'x')\nlog.info('%(k)s', {'k': 1})\nlogging.warning('plain')\n"
        "try: 1 / 0\nexcept ZeroDivisionError: log.error('bad %r', [1])\nlogging.getLogger('a').setLevel(logging.ERROR)\nlog.info('no')\nprint(out.getvalue(), log.getEffectiveLevel(), log.isEnabledFor(40), logging.getLevelName(30), log.name)\n"
        "class H(logging.Handler):\n    def emit(self, r): print('H', r.levelname, r.getMessage(), self.format(r))\nq = logging.getLogger('q')\nq.propagate = False\nq.addHandler(H())\nq.critical('c %s', 1)\nq.handlers.clear()"
    ),
    "logging.handlers": (
        "import contextlib, io, logging, logging.handlers, queue, sys\nout = io.StringIO()\ndef made(fmt, style='%', **more):\n    handler = logging.StreamHandler(out)\n    handler.setFormatter(logging.Formatter(fmt, style=style, **more))\n    return handler\nlog = logging.getLogger('app.part')\nlog.propagate = False\nlog.setLevel('DEBUG')\nlog.handlers = [made('%(funcName)s %(lineno)d %(levelno)s %(threadName)s %(processName)s %(message)s'), made('{levelname:>8}|{name}|{funcName}|{message}', '{'), made('$levelname ${message} $user', '$', defaults={'user': 'nobody'})]\n"
        "class User(logging.Filter):\n    def filter(self, record):\n        record.user = 'ann'\n        record.__dict__['size'] = len(record.getMessage())\n        return 'secret' not in record.msg\nlog.handlers[2].addFilter(User())\ndef work():\n    log.info('in %s', 'work')\n    (lambda: log.warning('in lambda'))()\n    log.error('above', stacklevel=2)\nwork()\nlog.info('secret')\nclass Adapter(logging.LoggerAdapter):\n    def process(self, msg, kwargs): return f\"[{self.extra['id']}] {msg}\", kwargs\nAdapter(log, {'id': 7}).warning('adapted %d', 1)\n"
        "logging.LoggerAdapter(log, {'id': 7}).error('plain')\nclass Line(logging.Formatter):\n    converter = staticmethod(lambda seconds: (2020, 1, 2, 3, 4, 5, 0, 1, 0))\n    def format(self, record):\n        text = super().format(record)\n        return f'{text} {record.message} {record.exc_info is not None} {getattr(record, \"x_try\", None)}'\n    def formatException(self, info): return f'{info[0].__name__}: {info[1]}'\nhandler = logging.StreamHandler(stream=out)\nhandler.setFormatter(Line('%(asctime)s %(message)s', '%Y/%m/%d'))\n"
        "log.handlers[:] = [handler]\nlog.info('extra', extra={'x_try': 2})\ntry: 1 / 0\nexcept ZeroDivisionError as e:\n    log.exception('failed')\n    log.error('once more', exc_info=e)\n    log.warning('and', exc_info=sys.exc_info())\ntry: log.info('x', extra={'name': 1})\nexcept KeyError as e: print(e)\nwith contextlib.redirect_stderr(io.StringIO()) as err:\n    logging.getLogger('lonely').warning('last resort')\n    log.handlers[:] = [logging.StreamHandler()]\n    log.info('%d', 'x')\nprint([line for line in err.getvalue().splitlines() if not line.startswith(' ')][:2], err.getvalue().splitlines()[-2:])\n"
        "memory = logging.handlers.MemoryHandler(10, target=made('m %(message)s'))\nrecords = queue.Queue()\nlog.handlers[:] = [memory, logging.handlers.QueueHandler(records)]\nlog.info('first')\nprint(len(memory.buffer))\nlog.error('flushed %s', [1])\nprint(len(memory.buffer), records.get().levelname, records.get().msg)\nlogging.addLevelName(25, 'NOTICE')\nlog.log(25, 'noticed')\nmemory.close()\nlogging.disable(logging.ERROR)\nlog.error('silence')\nlogging.disable(logging.NOTSET)\ntry: logging.Formatter('x', style='?')\n"
        "except ValueError as e: print(e)\nprint(out.getvalue(), logging.getLevelName(25), handler, log, logging.root is logging.getLogger())"
    ),
    "math": "import math\nprint(math.factorial(20), math.gcd(12, 18), math.isqrt(99), math.comb(5, 2), math.fsum([.1] * 10), math.hypot(3, 4), math.floor(-1.5), math.pi, math.inf, math.prod([2, 3]), math.dist((0, 0), (1, 1)), math.log2(8))",
    "numbers": "import numbers\nfrom fractions import Fraction\nprint(isinstance(3, numbers.Integral), isinstance(Fraction(1), numbers.Rational), isinstance(1j, numbers.Real))",
    "operator": "import operator as o\nfrom operator import attrgetter, itemgetter, methodcaller\nclass P:\n    def __init__(self, n): self.n, self.q = n, self\n    def up(self, by=1): return self.n + by\na = [P(2), P(1)]\nprint([p.n for p in sorted(a, key=attrgetter('n'))], attrgetter('q.q.n', 'n')(a[0]), methodcaller('up', by=5)(a[0]), itemgetter(0, 2)('abc'), o.add(1, 2), o.contains([1], 1), methodcaller('split', ',')('a,b'))\nd = {}\no.setitem(d, 'k', 1)\nprint(d, o.concat('a', 'b'), o.index(True), attrgetter('real')(3))",
    "pathlib": "from pathlib import PurePosixPath as P, PurePath\np = P('/a/b') / 'c.tar.gz'\nprint(p, p.name, p.suffix, p.stem, p.parent, p.parts, p.with_suffix('.x'), p.relative_to('/a'), p.match('*.gz'), PurePath('x', 'y'))\nfrom pathlib import PureWindowsPath\nprint(PureWindowsPath('C:/a/b.txt').drive, PureWindowsPath('a', 'b').as_posix())",
    "pprint": "import pprint, io\npprint.pprint({'b': list(range(30)), 'a': 'x'}, width=40)\npprint.pp({'b': 1, 'a': 2})\nprint(pprint.pformat([1]), pprint.PrettyPrinter(width=5).pformat([1, 2, 3]))\nout = io.StringIO()\npprint.pprint([2], stream=out)\nprint(out.getvalue(), pprint.isreadable(3))",
    "queue": "import queue\nq = queue.Queue(2)\nq.put(1)\nq.put_nowait(2)\ntry: q.put(3, block=False)\nexcept queue.Full: print('full')\nprint(q.get(), q.qsize(), q.get(), q.empty())\ntry: q.get(timeout=0.001)\nexcept queue.Empty: print('empty')\np = queue.PriorityQueue()\nfor n in (3, 1): p.put((n, 'x'))\nl = queue.LifoQueue()\nl.put('a')\nl.put('b')\nprint(p.get(), l.get())\nq.task_done()\nq.task_done()\nq.join()",
    "random": "import random\nrandom.seed(42)\nprint(random.random(), random.randint(1, 6), random.sample(range(100), 5), random.choice('abc'), random.choices([1, 2], [9, 1], k=3), random.uniform(1, 2), random.gauss(0, 1), random.getrandbits(40))\nr = random.Random(7)\nx = list(range(8))\nr.shuffle(x)\nprint(x, r.randrange(0, 10, 2), r.betavariate(1, 2), r.getstate()[0])\ns = r.getstate()\na = r.random()\nr.setstate(s)\nprint(a == r.random())",
    "re": "import re\nm = re.match(r'(?P<y>\\d+)-(\\d+)', '2024-05')\nprint(m['y'], m.groups(), m.groupdict(), m.span(2), re.sub(r'(a)(b)', r'\\2\\1', 'abab'), re.findall('[^,]+', 'a,b'), re.split(r'\\s*;\\s*', 'a ; b'), [x.start() for x in re.finditer('x', 'xax')], re.compile('A', re.I).fullmatch('a'), re.escape('a.b'))\ntry: re.compile('(')\nexcept re.error as e: print(e)",
    "reprlib": "import reprlib\nprint(reprlib.repr(list(range(99))), reprlib.aRepr.repr('x' * 99))\nr = reprlib.Repr()\nr.maxlist = 2\nprint(r.repr([1, 2, 3]))\nclass L(list):\n    @reprlib.recursive_repr()\n    def __repr__(self): return 'L' + ''.join(map(repr, self))\nl = L()\nl.append(l)\nprint(l)",
    "sched": "import sched, time\ns = sched.scheduler(time.monotonic, time.sleep)\ns.enter(0.002, 1, print, ('second',))\ns.enter(0.001, 1, print, ('first',))\ns.run()",
    "shlex": "import shlex\nprint(shlex.split('a \"b c\" d\\\\ e'), shlex.quote(\"it's\"), shlex.join(['a', 'b c']))",
    "statistics": "import statistics as s\nprint(s.mean([1, 2, 4]), s.median([1, 3, 2]), s.mode('aab'), s.stdev([1, 2, 3, 4]), s.quantiles([1, 2, 3, 4], n=4), s.NormalDist(0, 1).cdf(1.0), s.linear_regression([1, 2], [2, 4]).slope, s.fmean([1, 2]), s.correlation([1, 2, 3], [1, 2, 4]), s.NormalDist.from_samples([1, 2, 3]).mean, s.geometric_mean([1, 4]))",
    "string": "import string\nprint(string.ascii_lowercase, string.Template('$a ${b}').safe_substitute(a=1), string.capwords('a b'), string.punctuation)\nclass F(string.Formatter):\n    def get_value(self, key, args, kw): return kw.get(key, '?') if isinstance(key, str) else args[key]\nprint(F().format('{0} {x} {1[k]} {2.real:03d}', 'a', {'k': 5}, 7), string.Formatter().vformat('{a!r:>5}', (), {'a': 'b'}))",
    "struct": "import struct\nprint(struct.pack('<IhB', 1, -2, 3), struct.unpack('>H', b'\\1\\2'), struct.calcsize('qi'), struct.Struct('>d').pack(1.5), list(struct.iter_unpack('B', b'ab')))",
    "sys": "import sys\nfrom sys import maxsize, stdout\nprint(sys.maxsize == maxsize, sys.version_info >= (3, 11), sys.byteorder, sys.float_info.max, sys.int_info.bits_per_digit, sys.getrecursionlimit(), sys.maxunicode, sys.platform, sys.implementation.name, sys.intern('a'), len(sys.argv), sys.getsizeof(1))\nstdout.write('written\\n')\nsys.stdout.flush()\ntry: 1 / 0\nexcept ZeroDivisionError: print(sys.exc_info()[0], sys.exc_info()[1])\nsys.setrecursionlimit(3000)\nprint(sys.getrecursionlimit())\ndef deep(n): return n and deep(n - 1)\nprint(deep(2500))\ntry: sys.exit(3)\nexcept SystemExit as e: print(e.code)",
    "textwrap": "import textwrap\nprint(textwrap.fill('the quick brown fox jumps', 12, initial_indent='* '), textwrap.dedent('  a\\n    b'), textwrap.shorten('aa bb cc dd', 8), textwrap.indent('a\\nb', '> '))\nw = textwrap.TextWrapper(width=6)\nw.width = 9\nprint(w.wrap('one two three'))",
    "threading": "import threading\nl = threading.Lock()\nwith l: print(l.locked(), l.acquire(blocking=False))\nr = threading.RLock()\nwith r, r: print('twice')\nd = threading.local()\nd.x = 5\ne = threading.Event()\ne.set()\nprint(d.x, e.wait(), threading.current_thread().name, threading.active_count())\nc = threading.Condition()\nwith c: c.notify_all()\nimport queue, time\nq, out, lock = queue.Queue(), [], threading.Lock()\ndef consume():\n    while (x := q.get()) is not None:\n        with lock: out.append((x, threading.current_thread().name))\ndef produce(n):\n    for i in range(n): q.put(i)\n    q.put(None)\nts = [threading.Thread(target=consume, name='c'), threading.Thread(target=produce, args=(2,))]\nts[0].start()\nprint(ts[1].name, ts[0].is_alive(), ts[1].is_alive())\nts[1].start()\nfor t in ts: t.join()\nprint(out, ts[0].is_alive())\njobs = queue.Queue()\ndef work():\n    while True:\n        out.append(jobs.get() * 2)\n        jobs.task_done()\nfor _ in range(2): threading.Thread(target=work, daemon=True).start()\nfor i in range(3): jobs.put(i)\njobs.join()\nprint(sorted(out[2:]))\nclass Mine(threading.Thread):\n    def __init__(self, n):\n        super().__init__()\n        self.n, self.result = n, None\n    def run(self): self.result = self.n ** 2\nm = Mine(4)\nm.start()\nm.join()\nprint(m.result, m.name.startswith('Thread-'))\ntry: m.start()\nexcept RuntimeError as e: print(e)\nready, go = threading.Event(), threading.Condition()\ndef setter():\n    time.sleep(0.01)\n    ready.set()\n    with go: go.notify_all()\nt = threading.Timer(0.01, setter)\nt.start()\nprint(ready.wait(5))\nt.join()\nthreading.Timer(60, print).cancel()\ndef fails(): raise ValueError('x')\nimport contextlib, io\nsaid = io.StringIO()\nwith contextlib.redirect_stderr(said):\n    t = threading.Thread(target=fails)\n    t.start()\n    t.join()\nprint('(fails):\\nTraceback' in said.getvalue(), said.getvalue().endswith('ValueError: x\\n'))",
    "time": "import time\na = time.perf_counter()\ntime.sleep(0.001)\nprint(time.perf_counter() - a >= 0.001, time.gmtime(0)[:3], time.strftime('%Y', time.gmtime(0)), time.strptime('1 Feb 2003', '%d %b %Y').tm_yday, time.time() > 1e9, time.monotonic_ns() > 0)",
    "timeit": "import timeit\nprint(timeit.timeit(lambda: None, number=10) >= 0, len(timeit.repeat(lambda: 1, number=2, repeat=3)), timeit.default_timer() > 0)",
    "tomllib": "import tomllib\nprint(tomllib.loads('a = 1\\n[b]\\nc = [1.5, \"x\"]\\nd = 2020-01-02'))\ntry: tomllib.loads('x')\nexcept tomllib.TOMLDecodeError as e: print('bad')",
    "traceback": "import traceback\ndef f(): raise ValueError('no')\ntry: f()\nexcept ValueError as e:\n    text = traceback.format_exc()\n    print(text.splitlines()[0], text.splitlines()[-1], ', in f' in text)\n    print(traceback.format_exception_only(e), traceback.extract_tb(e.__traceback__)[-1].name, len(traceback.format_tb(e.__traceback__)))",
    "types": "import types, math\nfrom types import *\nn = SimpleNamespace(a=1)\nn.b = 2\nm = MappingProxyType({'k': 1})\ndef g(): yield\nprint(n, m['k'], isinstance(len, BuiltinFunctionType), isinstance(g, FunctionType), isinstance(g(), GeneratorType), isinstance(math, ModuleType), isinstance(lambda: 0, LambdaType), isinstance(int | str, UnionType), NoneType)\nclass A: pass\na = A()\na.f = MethodType(lambda self, x: (self is a, x), a)\nprint(a.f(3))\n@coroutine\ndef w():\n    x = yield 1\n    return x\nasync def h(): return await w()\nc = h()\nprint(c.send(None))\ntry: c.send(5)\nexcept StopIteration as e: print(e.value)",
    "typing": (
        "from __future__ import annotations\nimport typing\nfrom typing import *\nT = TypeVar('T')\nclass N(NamedTuple):\n    a: int\n    b: str = 'x'\nclass D(TypedDict, total=False):\n    k: int\nclass Box(Generic[T]):\n    def __init__(self, v: T) -> None: self.v = v\n    def me(self) -> Self: return self\n"
        "@runtime_checkable\nclass Sized_(Protocol):\n    def __len__(self) -> int: ...\ndef f(x: int, y: Optional[list[Box]] = None, *z: 'Union[str, int]') -> dict[str, N]: ...\n"
        "print(N(1), N(1)._asdict(), D(k=1), Box[int](3).v, isinstance([], Sized_), get_type_hints(f), get_args(Union[int, str]), get_origin(list[int]), cast(int, 'x'), TYPE_CHECKING)\n"
        "U = NewType('U', int)\nprint(U(3), Literal['a'], Annotated[int, 'm'], Callable[[int], str], get_type_hints(N), NamedTuple('M', [('q', int)])(5), Type[int] is not None)\n"
        "class Node:\n    next: Node | None\n    n: ClassVar[int] = 0\nprint(get_type_hints(Node)['next'] == Optional[Node])\n@overload\ndef h(x: int) -> int: ...\n@overload\ndef h(x: str) -> str: ...\ndef h(x): return x\n@final\nclass Z: pass\nprint(h(1), assert_type(5, int))"
    ),
    "unicodedata": "import unicodedata as u\nprint(u.name('é'), u.normalize('NFD', 'é') == 'é', u.category('1'), u.lookup('SNOWMAN'), u.numeric('½'), u.east_asian_width('あ'))",
    "unittest": (
        "import asyncio, io, sys, unittest\nclass Base(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): print('up', cls.__name__)\n    @classmethod\n    def tearDownClass(cls): print('down', cls.__name__)\n    def setUp(self):\n        self.xs = [1, 2]\n        self.addCleanup(print, 'cleaned', end=' ')\n    def tearDown(self): print('after', end=' ')\n"
        "class A(Base):\n    def test_good(self):\n        'The first line.'\n        print(self.id(), self, self.shortDescription())\n        self.assertCountEqual(self.xs, [2, 1])\n        self.assertAlmostEqual(0.1 + 0.2, 0.3)\n        with self.assertRaises(ValueError) as caught: int('x')\n        self.assertIn('invalid', str(caught.exception))\n        self.assertRaises(KeyError, {}.__getitem__, 1)\n        self.assertRegex('abc', 'b')\n"
        "    def test_bad(self): self.assertEqual(self.xs, [1, 3], 'not so')\n    def test_broken(self): {}['k']\n    @unittest.skip('later')\n    def test_skipped(self): 1 / 0\n    @unittest.skipUnless(True, 'never')\n    def test_left(self): self.skipTest('now')\n    @unittest.expectedFailure\n    def test_known(self): self.fail('known')\n    @unittest.expectedFailure\n    def test_mended(self): pass\n"
        "    def test_parts(self):\n        for i in range(3):\n            with self.subTest('part', i=i): self.assertNotEqual(i, 1)\n@unittest.skipIf(True, 'all of it')\nclass B(Base):\n    def test_b(self): 1 / 0\nclass C(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): raise ValueError('no class')\n    def test_c(self): 1 / 0\n"
        "class D(unittest.IsolatedAsyncioTestCase):\n    async def asyncSetUp(self): self.n = 1\n    async def test_d(self):\n        await asyncio.sleep(0)\n        self.assertEqual(self.n, 1)\n    async def asyncTearDown(self): print('async down')\n"
        "out = io.StringIO()\nload = unittest.TestLoader().loadTestsFromTestCase\nsuite = unittest.TestSuite(map(load, (A, B, C, D)))\nresult = unittest.TextTestRunner(out, verbosity=2).run(suite)\nprint(suite.countTestCases(), result.testsRun, result.wasSuccessful(), result.skipped)\n"
        "print([line for line in out.getvalue().split('\\n') if not line.startswith(('  ', 'Ran'))])\nfor test, text in result.failures + result.errors: print(test, text.splitlines()[-1])\n"
        "sys.stderr = io.StringIO()\nmade = unittest.main(exit=False, argv=['x', 'D.test_d'], verbosity=0)\nprint(made.result.wasSuccessful())\ntry: unittest.main(argv=['x', 'D'], verbosity=0)\nexcept SystemExit as e: print(int(e.code))"
    ),
    "urllib": "import urllib.parse\nprint(urllib.parse.quote('a b/ü'))",
    "urllib.parse": "from urllib.parse import *\nu = urlparse('https://u@h:8/p;x?q=1&q=2#f')\nprint(u, u.port, parse_qs(u.query), urlencode({'a': 'b c', 'd': [1, 2]}, doseq=True), urljoin('http://a/b/c', '../d'), unquote('%C3%BC'), urlunsplit(urlsplit('http://x/y?z')))",
    "uuid": "import uuid\nprint(uuid.uuid5(uuid.NAMESPACE_DNS, 'x.org'), uuid.uuid3(uuid.NAMESPACE_URL, 'y'), uuid.UUID('12345678123456781234567812345678').hex, uuid.uuid4().version, uuid.uuid1().version, len({uuid.uuid4() for _ in range(9)}), uuid.uuid1().variant == uuid.RFC_4122)",
    "warnings": "import warnings\nwith warnings.catch_warnings(record=True) as w:\n    warnings.simplefilter('always')\n    warnings.warn('old', DeprecationWarning, stacklevel=2)\n    warnings.warn('odd')\nprint([(str(x.message), x.category.__name__) for x in w])\nwith warnings.catch_warnings():\n    warnings.simplefilter('error')\n    try: warnings.warn('boom')\n    except UserWarning as e: print('raised', e)\nwith warnings.catch_warnings():\n    warnings.filterwarnings('ignore', message='qui')\n    warnings.warn('quiet')",
    "weakref": "import weakref\nclass A: pass\na = A()\nr = weakref.ref(a, lambda r: print('gone'))\nd = weakref.WeakValueDictionary()\nd['a'] = a\nk = weakref.WeakKeyDictionary()\nk[a] = 1\ns = weakref.WeakSet([a])\np = weakref.proxy(a)\na.x = 5\nprint(r() is a, d['a'] is a, k[a], len(s), p.x)\ndel a\nprint(r(), len(d), len(k), len(s))\nclass B: pass\nb = B()\nf = weakref.finalize(b, print, 'finalized', 1)\ng = weakref.finalize(b, print, 'never')\nprint(f.alive, f.peek()[2], g.detach()[1] is print, g.alive)\ndel b\nprint(f.alive, f(), f.peek())",
    "zlib": "import zlib\nd = zlib.compress(b'a' * 99, 9)\nprint(len(d) < 20, zlib.decompress(d) == b'a' * 99, zlib.crc32(b'x'), zlib.adler32(b'x'))\nc = zlib.compressobj()\nprint(zlib.decompress(c.compress(b'q') + c.flush()))",
    "zoneinfo": (
        "from zoneinfo import *\nfrom datetime import datetime, timedelta\nfor z in ('Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'UTC', 'Australia/Lord_Howe', 'Europe/Berlin'):\n    d = datetime(2024, 7, 1, 12, tzinfo=ZoneInfo(z))\n    print(d, d.tzname(), d.utcoffset(), d.dst(), ZoneInfo(z) is d.tzinfo)\n"
        "print(datetime(2024, 3, 31, 1, 30, tzinfo=ZoneInfo('UTC')).astimezone(ZoneInfo('Europe/Paris')), 'Africa/Cairo' in available_timezones())\ntry: ZoneInfo('Nowhere/Land')\nexcept ZoneInfoNotFoundError as e: print('none')"
    ),
    "concurrent": "import concurrent.futures\nprint(concurrent.futures.ThreadPoolExecutor(1).submit(pow, 2, 5).result())",
    "concurrent.futures": "from concurrent.futures import *\nimport concurrent.futures as cf\ndef bad(): raise KeyError('k')\nseen = []\nwith ThreadPoolExecutor(max_workers=2) as ex:\n    print(list(ex.map(lambda a, b: a * b, [1, 2], [3, 4])))\n    fs = {ex.submit(pow, 2, n): n for n in range(3)}\n    print(sorted((fs[f], f.result()) for f in as_completed(fs)))\n    f = ex.submit(bad)\n    print(repr(f.exception()), f.done(), f.cancelled(), f.running(), f.cancel())\n    f.add_done_callback(seen.append)\n    done, left = wait([f], return_when=FIRST_COMPLETED)\n    print(len(done), len(left), seen == [f])\ntry: f.result()\nexcept KeyError as e: print(e)\ntry: ex.submit(bad)\nexcept RuntimeError as e: print(e)\nmine = Future()\nprint(mine.cancel(), mine.cancelled())\ntry: mine.result()\nexcept CancelledError: print('cancelled')\nother = Future()\nother.set_result(3)\ntry: other.set_result(4)\nexcept cf.InvalidStateError: print(other.result())",
    "getopt": "import getopt\nprint(getopt.getopt('-a -b x --long=3 rest'.split(), 'ab:', ['long=']))\ntry: getopt.getopt(['-z'], 'a')\nexcept getopt.GetoptError as e: print(e, e.opt)",
    "http": "from http import HTTPMethod, HTTPStatus\nprint(HTTPStatus.NOT_FOUND.phrase, HTTPStatus(201).name, int(HTTPStatus.OK), HTTPMethod.GET, HTTPStatus.OK == 200)",
    "importlib": "import importlib, math\nprint(importlib.import_module('math') is math, importlib.import_module('collections.abc').Sized.__name__)\ntry: importlib.import_module('no_such_module')\nexcept ImportError: print('none')",
    "os": "import os\nprint(os.path.join('a', 'b'), os.sep, repr(os.linesep), os.name, os.curdir, os.environ.get('NO_SUCH'), os.getenv('NO_SUCH', 'x'), os.fspath('p'))\nclass P:\n    def __fspath__(self): return 'mine'\nprint(os.fspath(P()), isinstance(P(), os.PathLike), os.path.basename(P()))",
    "os.path": "import os.path\nfrom os.path import *\nprint(basename('/a/b.c'), dirname('/a/b'), splitext('x.tar.gz'), split('/a/b'), normpath('a//b/../c'), isabs('/x'), commonprefix(['/ab', '/ac']), commonpath(['/a/b', '/a/c']), os.path.join('a', '/b'))",
    "shutil": "import shutil\nsize = shutil.get_terminal_size()\nprint(size.columns > 0, size.lines > 0)",
    "token": "import token\nprint(token.tok_name[token.NAME], token.ISEOF(token.ENDMARKER), token.ISTERMINAL(300))",
    "tokenize": "import io, tokenize\nfor t in tokenize.generate_tokens(io.StringIO('x = 1  # y\\n').readline): print(tokenize.tok_name[t.exact_type], repr(t.string), t.start)\ntry: list(tokenize.generate_tokens(io.StringIO('(').readline))\nexcept tokenize.TokenError as e: print(e)",
}
