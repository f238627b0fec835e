"""Semantic versions: parse, compare, bump, ranges."""
import re
from functools import total_ordering

SEMVER = re.compile(r"""
    ^(?P<major>0|[1-9]\d*)
    \.(?P<minor>0|[1-9]\d*)
    \.(?P<patch>0|[1-9]\d*)
    (?:-(?P<pre>[0-9A-Za-z.-]+))?
    (?:\+(?P<build>[0-9A-Za-z.-]+))?$
""", re.VERBOSE)


@total_ordering
class Version:
    def __init__(self, major, minor=0, patch=0, pre=None, build=None):
        self.major, self.minor, self.patch = int(major), int(minor), int(patch)
        self.pre, self.build = pre, build

    @classmethod
    def parse(cls, text):
        m = SEMVER.match(text)
        if m is None:
            raise ValueError("%r is not a semantic version" % text)
        return cls(**m.groupdict())

    @property
    def core(self):
        return self.major, self.minor, self.patch

    def _key(self):
        pre = tuple((0, int(p), "") if p.isdigit() else (1, 0, p)
                    for p in self.pre.split(".")) if self.pre else ()
        return self.core, not self.pre, pre

    def __eq__(self, other):
        if not isinstance(other, Version):
            return NotImplemented
        return self._key() == other._key()

    def __lt__(self, other):
        if not isinstance(other, Version):
            return NotImplemented
        return self._key() < other._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        s = "%d.%d.%d" % self.core
        if self.pre:
            s += "-" + self.pre
        if self.build:
            s += "+" + self.build
        return s

    def __repr__(self):
        return f"<Version {self}>"

    def bump(self, part):
        major, minor, patch = self.core
        return {
            "major": lambda: Version(major + 1),
            "minor": lambda: Version(major, minor + 1),
            "patch": lambda: Version(major, minor, patch + 1),
        }[part]()

    def satisfies(self, spec):
        for clause in spec.split():
            op, version = re.fullmatch(r"(\^|~|>=|<=|>|<|=)?(.*)", clause).groups()
            v = Version.parse(version)
            if op == "^":
                ok = v <= self < v.bump("major" if v.major else "minor")
            elif op == "~":
                ok = v <= self < v.bump("minor")
            else:
                ok = {">=": self >= v, "<=": self <= v, ">": self > v, "<": self < v}.get(op, self == v)
            if not ok:
                return False
        return True


ordered = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0".split()
versions = [Version.parse(v) for v in ordered]
assert sorted(versions[::-1]) == versions
assert [str(v) for v in versions] == ordered
assert Version.parse("1.2.3+abc") == Version(1, 2, 3)
print(Version.parse("1.9.9").bump("minor"), repr(Version(2).bump("patch")))
assert Version(1, 4, 2).satisfies("^1.2.0 <1.5.0")
assert not Version(2).satisfies("^1.2.0") and not Version(0, 3).satisfies("^0.2.5")
assert Version(1, 2, 9).satisfies("~1.2.3") and not Version(1, 3).satisfies("~1.2.3")
for bad in ("1.2", "01.2.3", "a.b.c", ""):
    try:
        Version.parse(bad)
    except ValueError as e:
        print(e)
    else:
        assert False, bad
try:
    Version(1) < "2"
except TypeError as e:
    print(e)
assert Version(1) != "1.0.0" and max(versions).pre is None
