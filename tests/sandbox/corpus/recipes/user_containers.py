"""Subclassing UserDict, UserList and UserString."""

from collections import UserDict, UserList, UserString


class CaseInsensitiveDict(UserDict):
    """Keys are compared without regard to case, but keep their spelling.

    >>> h = CaseInsensitiveDict({'Content-Type': 'text/html'})
    >>> h['CONTENT-TYPE']
    'text/html'
    """

    def __init__(self, *args, **kwargs):
        self._spelling = {}
        super().__init__(*args, **kwargs)

    def __setitem__(self, key, value):
        folded = key.casefold()
        self._spelling.setdefault(folded, key)
        self.data[folded] = value

    def __getitem__(self, key):
        return self.data[key.casefold()]

    def __delitem__(self, key):
        folded = key.casefold()
        del self.data[folded]
        del self._spelling[folded]

    def __contains__(self, key):
        return isinstance(key, str) and key.casefold() in self.data

    def __iter__(self):
        return iter(self._spelling.values())


class AttrDict(UserDict):
    def __getattr__(self, name):
        if name.startswith("_") or name == "data":
            raise AttributeError(name)
        try:
            return self.data[name]
        except KeyError:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}"
            ) from None


class TypedList(UserList):
    def __init__(self, kind, initlist=()):
        self.kind = kind
        super().__init__()
        self.extend(initlist)

    def _check(self, item):
        if not isinstance(item, self.kind):
            raise TypeError(f"expected {self.kind.__name__}, got {type(item).__name__}")
        return item

    def append(self, item):
        super().append(self._check(item))

    def insert(self, i, item):
        super().insert(i, self._check(item))

    def extend(self, other):
        super().extend(self._check(x) for x in other)

    def __setitem__(self, i, item):
        if isinstance(i, slice):
            item = [self._check(x) for x in item]
        else:
            self._check(item)
        super().__setitem__(i, item)


class Vector(UserList):
    def __add__(self, other):
        return Vector(a + b for a, b in zip(self, other, strict=True))

    def __mul__(self, k):
        return Vector(k * x for x in self)

    __rmul__ = __mul__

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self, other))


class Slug(UserString):
    def __init__(self, seq):
        super().__init__("-".join(str(seq).lower().split()))

    def __truediv__(self, other):
        return f"{self}/{other}"


def test_case_insensitive():
    h = CaseInsensitiveDict({"Content-Type": "text/html"}, Accept="*/*")
    assert h["CONTENT-TYPE"] == "text/html"
    assert "accept" in h and 3 not in h
    h["content-type"] = "text/plain"
    assert list(h) == ["Content-Type", "Accept"]
    assert h.get("nope", "?") == "?"
    assert h.pop("ACCEPT") == "*/*"
    assert dict(h.items()) == {"Content-Type": "text/plain"}
    assert len(h) == 1
    h.update(ETag="x")
    assert sorted(h) == ["Content-Type", "ETag"]


def test_attr_dict():
    a = AttrDict(name="Ada", born=1815)
    assert a.name == "Ada"
    assert a.born + 1 == 1816
    assert not hasattr(a, "died")
    try:
        a.died
    except AttributeError as e:
        assert str(e) == "'AttrDict' object has no attribute 'died'"
        assert e.__suppress_context__
    assert (a | {"died": 1852}).died == 1852


def test_typed_list():
    t = TypedList(int, [1, 2])
    t.append(3)
    t.insert(0, 0)
    t[1] = 10
    t[2:] = [7, 8, 9]
    assert t == [0, 10, 7, 8, 9]
    assert t.data[-1] == 9 and len(t) == 5
    for bad in (lambda: t.append("x"), lambda: t.extend([1, None]), lambda: t.__setitem__(0, 1.5)):
        try:
            bad()
        except TypeError as e:
            assert str(e).startswith("expected int")
        else:
            raise AssertionError("no TypeError")


def test_vector_and_slug():
    v = Vector([1, 2, 3])
    assert v + v == [2, 4, 6]
    assert 2 * v == v * 2 == Vector([2, 4, 6])
    assert v @ v == 14
    assert isinstance(v[:2], Vector)
    s = Slug("Hello  Wide World")
    assert s == "hello-wide-world"
    assert s.startswith("hello") and len(s) == 16
    assert Slug("A b") / "c" == "a-b/c"
    assert s.split("-")[1] == "wide"


if __name__ == "__main__":
    for name, obj in list(globals().items()):
        if name.startswith("test_"):
            obj()
            print(".", end="")
    print()
