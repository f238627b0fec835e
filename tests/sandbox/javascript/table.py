"""Programs in JavaScript with what becomes of them."""
# ruff: noqa: E501, ISC004

# Little functions as people write them, each with a test in Python.
PROGRAMS = {
    "sort": (
        "function F(xs) {\n  return [...xs].sort((a, b) => a - b);\n}",
        "assert F([10, 9, 1]) == [1, 9, 10]",
    ),
    "sort in place": (
        "const F = (xs) => { xs.sort((a, b) => a - b); };",
        "xs = [10, 9, 1]\nassert F(xs) is None and xs == [1, 9, 10]",
    ),
    "greatest common divisor": (
        "function F(a, b) {\n  return b === 0 ? a : F(b, a % b);\n}",
        "import math\nassert all(F(a, b) == math.gcd(a, b) for a in range(1, 20) for b in range(20))",
    ),
    "patterns": (
        r"const F = (text) => [...text.matchAll(/(?<key>\w+)=(\d+)/g)].map((m) => [m.groups.key, +m[2]]);",
        "assert F('a=1, bc=22') == [['a', 1], ['bc', 22]]",
    ),
    "dates": (
        "const F = (year, month) => new Date(Date.UTC(year, month, 0)).getUTCDate();",
        "assert [F(2024, 2), F(2023, 2), F(2023, 4)] == [29, 28, 30]",
    ),
    "a date": (
        "const F = (when) => new Date(when.getTime() + 86400000);",
        "from datetime import datetime, timezone\nmay = datetime(2024, 5, 31, tzinfo=timezone.utc)\n"
        "assert F(may) == datetime(2024, 6, 1, tzinfo=timezone.utc)",
    ),
    "map and reduce": (
        "const F = (words) => words.map((w) => w.length).reduce((a, b) => a + b, 0);",
        "assert F(['a', 'bc', '']) == 3 and F([]) == 0",
    ),
    "counting": (
        "function F(text) {\n  const found = {};\n"
        "  for (const c of text) found[c] = (found[c] ?? 0) + 1;\n  return found;\n}",
        "assert F('abca') == {'a': 2, 'b': 1, 'c': 1}",
    ),
    "closures": (
        "function F(start) {\n  let n = start;\n  return () => n++;\n}",
        "one, other = F(1), F(7)\nassert [one(), one(), other(), one()] == [1, 2, 7, 3]",
    ),
    "generators": (
        "function* F(n) {\n  let [a, b] = [0, 1];\n  while (n-- > 0) {\n    yield a;\n"
        "    [a, b] = [b, a + b];\n  }\n}",
        "assert list(F(8)) == [0, 1, 1, 2, 3, 5, 8, 13]",
    ),
    "JSON": (
        "const F = (text) => JSON.stringify(JSON.parse(text), null, 1);",
        "import json\nassert json.loads(F('{\"a\": [1, null]}')) == {'a': [1, None]}",
    ),
    "classes inside": (
        "class Stack {\n  #items = [];\n  push(x) { this.#items.push(x); return this; }\n"
        "  get size() { return this.#items.length; }\n}\n"
        "const F = (xs) => xs.reduce((s, x) => s.push(x), new Stack()).size;",
        "assert F(list('abc')) == 3",
    ),
    "promises": (
        "const wait = (x) => Promise.resolve(x);\n"
        "async function F(xs) {\n  let sum = 0;\n  for (const x of xs) sum += await wait(x);\n  return sum;\n}",
        "assert F([1, 2, 3]) == 6",
    ),
    "large numbers": (
        "const F = (n) => {\n  let all = 1n;\n  for (let i = 2n; i <= n; i++) all *= i;\n  return all;\n};",
        "import math\nassert F(30) == math.factorial(30) and type(F(3)) is int",
    ),
    "a callback": (
        "const F = (xs, f) => xs.filter(f).map((x) => f(x));",
        "assert F([1, 0, 2], lambda x: x * 2) == [2, 4]",
    ),
    "keyword arguments": (
        "function F(a, b = 2, c = 3) {\n  return [a, b, c];\n}",
        "assert F(1, c=9) == [1, 2, 9] and F(b=0, a=5) == [5, 0, 3]",
    ),
    "iterating what Python gives": (
        "function F(numbers) {\n  let sum = 0;\n  for (const n of numbers) sum += n;\n  return sum;\n}",
        "assert F(n * n for n in range(4)) == 14",
    ),
    "templates and destructuring": (
        "const F = ({ name, age = 3, ...rest }) => `${name} is ${age}, ${Object.keys(rest)}`;",
        "assert F({'name': 'Ada', 'x': 1, 'y': 2}) == 'Ada is 3, x,y'",
    ),
    "recursion": (
        "function F(n) {\n  return n === 0 ? 0 : 1 + F(n - 1);\n}",
        "assert F(5000) == 5000",
    ),
    "chance": (
        "const F = () => Math.random();",
        "import random\nrandom.seed(1)\none = F()\nrandom.seed(1)\nassert 0 <= one < 1 and F() == one",
    ),
    "an exception of Python": (
        "function F(xs) {\n  if (!xs.length) throw new ValueError('nothing');\n  return xs[0];\n}",
        "import pytest\nwith pytest.raises(ValueError, match='nothing'):\n    F([])\n"
        "with pytest.raises(TypeError):\n    F(None)",
    ),
}

# Expressions of JavaScript and of Python that cross as each other.
VALUES = (
    ("1", "1"),
    ("1.5", "1.5"),
    ("-0", "-0.0"),
    ("2 ** 53 - 1", "2 ** 53 - 1"),
    ("12345678901234567890n", "12345678901234567890"),
    ("Infinity", "float('inf')"),
    ("'a\\u0000\\ud83d\\ude00é'", "'a\\0\\U0001f600é'"),
    ("'\\ud800'", "'\\ud800'"),
    ("true", "True"),
    ("null", "None"),
    ("[1, [2, []], 'x']", "[1, [2, []], 'x']"),
    ("({ a: { b: 1 }, $: 2, ['__proto__']: 3 })", "{'a': {'b': 1}, '$': 2, '__proto__': 3}"),
    ("new Map([[1, 'a'], [2, 'b']])", "{1: 'a', 2: 'b'}"),
    ("new Set([1, 2])", "{1, 2}"),
    ("new Uint8Array([0, 255])", "b'\\0\\xff'"),
)

# What a test sees of errors: verdict, text, line.
ERRORS = {
    "an error": ("function F() {\n  throw new Error('no');\n}", "error", "Error: no", 2),
    "a missing name": (
        "function F() {\n\n  return missing;\n}",
        "error",
        "missing is not defined",
        3,
    ),
    "a failed check": ("function F() {\n  assert(1 > 2, 'odd');\n}", "failed", "odd", 2),
    "a syntax error": ("function F() {\n  return (;\n}", "error", "SyntaxError", 2),
    "an error of its own": (
        "class Odd extends Error {}\nfunction F() {\n  throw new Odd('x');\n}",
        "error",
        "Error: x",
        3,
    ),
    "no error": ("function F() { throw 'text'; }", "error", '"text" was thrown', None),
    "a symbol": ("const F = () => Symbol('x');", "error", "a symbol can't leave", None),
    "an object": ("class P {}\nconst F = () => new P();", "error", "class P can't leave", None),
    "a cycle": ("const a = [];\na.push(a);\nconst F = () => a;", "error", "or in itself", None),
    "no definition": ("const G = 1;", "error", "does not define F", None),
    "a promise": ("const F = () => new Promise(() => {});", "error", "never settles", None),
}

# Implementations that are wrong, or want too much: verdicts that they may get. They are tested by
# `TEST`, and none may pass.
TEST = """
good = {"a": [1, 2]}
assert F(good, lambda x: x) == 3
assert good == {"a": [1, 2]} and type(good) is dict and [1].__class__ is list
assert F({"a": []}, lambda x: x) == 0
"""
HONEST = "const F = ({ a }, f) => a.map((x) => f(x)).reduce((x, y) => x + y, 0);"
ATTACKS = {
    "an endless loop": ("const F = () => { for (;;); };", {"time_limit"}),
    "a loop that catches": (
        "const F = () => { for (;;) { try { for (;;); } catch {} } };",
        {"time_limit"},
    ),
    "a loop with finally": (
        "function F() { try { for (;;); } finally { return 3; } }",
        {"time_limit"},
    ),
    "endless promises": (
        "const F = () => new Promise((r) => { const f = () => Promise.resolve().then(f); f(); });",
        {"time_limit", "memory_limit", "error"},
    ),
    "a pattern": ("const F = () => /^(a+)+$/.test('a'.repeat(60) + 'b');", {"time_limit"}),
    "a huge text": ("const F = () => 'x'.repeat(2 ** 29).split('');", {"memory_limit", "error"}),
    "a huge array": ("const F = () => new Array(2 ** 30).fill(1).length;", {"memory_limit"}),
    "growing": (
        "const F = () => { const a = []; for (;;) a.push(new Array(10000).fill(0)); };",
        {"memory_limit"},
    ),
    "growing and catching": (
        "const F = () => { const a = []; for (;;) { try { a.push(new Array(99999).fill(a)); } "
        "catch { a.length = 0; } } };",
        {"time_limit", "memory_limit"},
    ),
    "deep recursion": ("const F = () => 1 + F();", {"error"}),
    "recursion that catches": (
        "const F = () => { try { return F(); } catch { return F(); } };",
        {"time_limit", "error", "crashed"},
    ),
    "much output": (
        "const F = () => { for (;;) console.log('x'.repeat(5000)); };",
        {"output_limit"},
    ),
    "the text of a verdict": ("const F = () => { console.log('passed'); };", {"failed"}),
    "the protocol's words": ("const F = () => 'w[[{}],3]';", {"failed"}),
    "a tagged value": ("const F = () => ({ $: ['p', 0] });", {"failed"}),
    "a polluted prototype": (
        "Object.prototype.valueOf = () => 3;\nObject.prototype.equals = () => true;\n"
        "Array.prototype.toJSON = () => 3;\nconst F = () => [];",
        {"failed", "error"},
    ),
    "a changed argument": (
        "const F = (given) => { const { a } = given; given.a = 1; given.__proto__ = null; return 3; };",
        {"failed"},
    ),
    "an object that pretends": (
        "const F = () => ({ valueOf: () => 3, toString: () => '3', [Symbol.toPrimitive]: () => 3 });",
        {"failed"},
    ),
    "a number object": (
        "class N extends Number { valueOf() { return 3; } }\nlet n = 0;\nconst F = () => new N(n++);",
        {"failed", "error"},
    ),
    "a getter that throws": (
        "const F = () => ({ get a() { throw new AssertionError('x'); } });",
        {"failed", "error"},
    ),
    "a proxy": (
        "const F = () => new Proxy({}, { get: () => 3, ownKeys: () => { throw 1; } });",
        {"error"},
    ),
    "a revoked proxy": (
        "const F = () => { const p = Proxy.revocable({}, {}); p.revoke(); return p.proxy; };",
        {"error"},
    ),
    "an error that pretends": (
        "const F = () => { const e = new Error('x'); e.name = 'StopIteration'; throw e; };",
        {"error"},
    ),
    "a skip": (
        "class SkipTest extends Error {}\nclass Skipped extends Error {}\n"
        "const F = () => { throw new SkipTest('x'); };",
        {"error"},
    ),
    "an exit": (
        "const F = () => { const e = new Error('0'); e.name = 'SystemExit'; throw e; };",
        {"error"},
    ),
    "a stack that is no text": (
        "const F = () => { const e = new Error('x'); e.stack = { toString() { throw e; } }; throw e; };",
        {"error"},
    ),
    "a stack of lies": (
        "const F = () => { const e = new Error('x'); e.stack = '    at test (<input>:99999999999:1)\\n'"
        ".repeat(1e5); throw e; };",
        {"error"},
    ),
    "eval": ("const F = () => eval('for (;;);');", {"time_limit"}),
    "a function of text": (
        "const F = () => new Function('return this.process.exit()')();",
        {"error"},
    ),
    "the inside": (
        "const F = () => { globalThis.$pyCall('call', 0, '[]'); return 3; };",
        {"error"},
    ),
    "a call that is kept": (
        "let f0;\nconst F = ({ a }, f) => { f0 ??= f; return f0(a.length ? 2 : 0); };",
        {"failed"},
    ),
    "waiting": (
        "const F = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
        {"time_limit", "error"},
    ),
    "a module": ("import os from 'os';\nconst F = () => 3;", {"error"}),
    "an import": ("const F = () => import('os').then((os) => os.exec(['true']));", {"error"}),
}
