# codewars-like katas; one function each; tests below like test.assert_equals

import math
import re
from collections import Counter
from functools import reduce
from itertools import groupby


def likes(names):
    return {
        0: "nobody likes this",
        1: "{} likes this",
        2: "{} and {} like this",
        3: "{}, {} and {} like this",
    }.get(len(names), "{}, {} and {n} others like this").format(*names[:3], n=len(names) - 2)


def format_duration(seconds):
    if not seconds: return "now"
    units = [("year", 31536000), ("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)]
    parts = []
    for unit, size in units:
        if seconds // size:
            q = seconds // size
            parts.append("%d %s%s" % (q, unit, "s" if q > 1 else ""))
        seconds %= size
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def snail(a):
    return list(a[0]) + snail(list(zip(*a[1:]))[::-1]) if a else []


def persistence(n):
    return 0 if n < 10 else 1 + persistence(math.prod(map(int, str(n))))


def dir_reduc(arr):
    opposite = {"N": "S", "S": "N", "E": "W", "W": "E"}
    return reduce(lambda acc, d: acc[:-1] if acc and acc[-1] == opposite[d] else acc + [d], arr, [])


def rgb(*c):
    return "".join("%02X" % max(0, min(v, 255)) for v in c)


def valid_ip(s):
    p = s.split(".")
    return len(p) == 4 and all(x.isdigit() and str(int(x)) == x and int(x) < 256 for x in p)


def range_extraction(xs):
    out = []
    for _, g in groupby(enumerate(xs), key=lambda p: p[1] - p[0]):
        g = [v for _, v in g]
        out.append(f"{g[0]}-{g[-1]}" if len(g) > 2 else ",".join(map(str, g)))
    return ",".join(out)


def alphabet_position(text):
    return " ".join(str(ord(c) & 31) for c in text if c.isalpha())


def anagrams(word, words): return [w for w in words if sorted(w) == sorted(word)]
def find_odd(xs): return next(k for k, v in Counter(xs).items() if v % 2)
def digital_root(n): return n and 1 + (n - 1) % 9
def spin(s): return re.sub(r"\w{5,}", lambda m: m[0][::-1], s)
def dup(w): w = w.lower(); return "".join("(" if w.count(c) == 1 else ")" for c in w)
def human(s): return "{:02}:{:02}:{:02}".format(s // 3600, s // 60 % 60, s % 60)


class Test:
    passed = 0

    @classmethod
    def assert_equals(cls, actual, expected, message=""):
        if actual != expected:
            raise AssertionError("{!r} should equal {!r} {}".format(actual, expected, message))
        cls.passed += 1

    @staticmethod
    def describe(title):
        print("#", title)


test = Test()
Test.describe("strings")
test.assert_equals(likes([]), "nobody likes this")
test.assert_equals(likes(["Ann", "Bob"]), "Ann and Bob like this")
test.assert_equals(likes(list("abcde")), "a, b and 3 others like this")
test.assert_equals(spin("Hey fellow warriors"), "Hey wollef sroirraw")
test.assert_equals(dup("Success"), ")())())")
test.assert_equals(alphabet_position("The sun!"), "20 8 5 19 21 14")
test.assert_equals(anagrams("abba", ["aabb", "abcd", "bbaa"]), ["aabb", "bbaa"])
Test.describe("numbers")
test.assert_equals(format_duration(3662), "1 hour, 1 minute and 2 seconds")
test.assert_equals(human(86399), "23:59:59")
test.assert_equals(persistence(999), 4)
test.assert_equals(digital_root(493193), 2)
test.assert_equals(find_odd([20, 1, -1, 2, -2, 3, 3, 5, 5, 1, 2, 4, 20, 4, -1, -2, 5]), 5)
test.assert_equals(rgb(255, 300, -20), "FFFF00")
Test.describe("lists")
test.assert_equals(snail([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), [1, 2, 3, 6, 9, 8, 7, 4, 5])
test.assert_equals(dir_reduc(list("NSSEWNW")), ["W"])
test.assert_equals(range_extraction([-3, -2, -1, 2, 10, 15, 16, 18, 19, 20]), "-3--1,2,10,15,16,18-20")
test.assert_equals([valid_ip(i) for i in ("1.2.3.4", "01.2.3.4", "1.2.3")], [True, False, False])
print(Test.passed, "passed")
assert Test.passed == 17
