"""Assorted modules as one meets them in the documentation."""
import bisect
import difflib
import fractions
import io
import operator
import pprint
import secrets
import shlex
import string
import textwrap
import types
import uuid
from array import array
from numbers import Integral

# io
f = io.StringIO("first line\nsecond line\n\nlast")
assert f.readline() == "first line\n" and [l.strip() for l in f] == ["second line", "", "last"]
f.seek(0)
assert f.read(5) == "first" and f.tell() == 5
b = io.BytesIO()
b.write(b"\x00\x01")
assert b.getvalue() == b"\x00\x01"
with io.StringIO() as out:
    print("to a buffer", end="", file=out)
    assert out.getvalue() == "to a buffer"

# pprint
nested = {"name": "thing", "parts": [{"id": i, "label": "part number %d" % i} for i in range(3)], "empty": {}}
pprint.pprint(nested, width=50)
assert "'empty': {}" in pprint.pformat(nested)

# textwrap
text = "Beautiful is what wraps well, and ugly is what does not wrap at all."
print(textwrap.fill(text, 30, initial_indent="* ", subsequent_indent="  "))
assert textwrap.shorten(text, 30, placeholder="...") == "Beautiful is what wraps..."
assert textwrap.indent("a\nb", "> ") == "> a\n> b"

# difflib
for line in difflib.unified_diff(["a", "b", "c"], ["a", "x", "c"], "old", "new", lineterm=""):
    print(line)
assert difflib.get_close_matches("appel", ["ape", "apple", "peach"]) == ["apple", "ape"]
assert difflib.SequenceMatcher(None, "abcd", "bcde").ratio() == 0.75

# bisect & array
a = array("i", [1, 3, 5])
bisect.insort(a, 4)
assert a.tolist() == [1, 3, 4, 5] and a.itemsize >= 2

# shlex, string, secrets, uuid
assert shlex.split("cp 'my file' /tmp --force") == ["cp", "my file", "/tmp", "--force"]
assert shlex.quote("it's") == "'it'\"'\"'s'" and string.capwords("hello big world") == "Hello Big World"
token = "".join(secrets.choice(string.hexdigits) for _ in range(16))
assert len(token) == 16 and len(secrets.token_hex(8)) == 16
assert uuid.UUID("12345678123456781234567812345678").hex[:4] == "1234" and uuid.uuid4() != uuid.uuid4()

# types, numbers, fractions
ns = types.SimpleNamespace(x=1, y=[2])
ns.z = ns.x + 2
print(ns)
ro = types.MappingProxyType({"a": 1})
try:
    ro["a"] = 2
except TypeError as e:
    print(e)
assert isinstance(True, Integral) and isinstance(lambda: 0, types.FunctionType)
assert fractions.Fraction("0.125") == fractions.Fraction(1, 8) and fractions.Fraction(3.14159).limit_denominator(10) == fractions.Fraction(22, 7)

# operator, slices, memoryview
assert operator.itemgetter(1, 2)("abc") == ("b", "c") and operator.contains([1], 1)
data = bytearray(b"hello")
view = memoryview(data)
view[0] = ord("J")
assert data == b"Jello" and view[1:3].tobytes() == b"el"
last_two = slice(-2, None)
assert "python"[last_two] == "on" and last_two.indices(6) == (4, 6, 1)

# builtins
assert list(map(ord, "ab")) == [97, 98] and chr(8364) == "€" and ascii("é") == "'\\xe9'"
assert divmod(-7, 2) == (-4, 1) and round(2.5) == 2 and round(-0.5) == 0 and round(1234, -2) == 1200
assert any([]) is False and all([]) is True and sorted("bca", reverse=True) == ["c", "b", "a"]
assert eval("1 + 2 * 3") == 7 and int("ff", 16) == 255 and int("0b101", 0) == 5 and bin(5) == "0b101"
assert callable(print) and isinstance(3, (int, str)) and hasattr([], "append") and type(3).__name__ == "int"
assert max({"a": 3, "b": 9}.items(), key=lambda kv: kv[1]) == ("b", 9) and frozenset("ab") == {"a", "b"}
assert float("nan") != float("nan") and complex("1+2j").imag == 2 and oct(8) == "0o10" and pow(2, 10, 1000) == 24
