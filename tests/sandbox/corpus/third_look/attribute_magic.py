import sys
from types import SimpleNamespace


class AttrDict(dict):
    def __getattr__(self, k):
        try:
            v = self[k]
        except KeyError:
            raise AttributeError(k) from None
        return AttrDict(v) if type(v) is dict else v

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Proxy:
    def __init__(self, target):
        object.__setattr__(self, "_target", target)
        object.__setattr__(self, "_log", [])

    def __getattr__(self, name):
        self._log.append(("get", name))
        return getattr(self._target, name)

    def __setattr__(self, name, value):
        self._log.append(("set", name))
        setattr(self._target, name, value)

    def __delattr__(self, name):
        self._log.append(("del", name))
        delattr(self._target, name)


class Frozen:
    def __init__(self, **kw):
        self.__dict__.update(kw)

    def __setattr__(self, k, v):
        raise AttributeError(f"{type(self).__name__} is immutable")


class Audited:
    reads = []

    def __init__(self):
        self.x = 1

    def __getattribute__(self, name):
        if not name.startswith("_"):
            Audited.reads.append(name)
        return super().__getattribute__(name)


class Secret:
    def __init__(self):
        self.__hidden = 42
        self._semi = 1

    def __dir__(self):
        return ["visible"]

    def reveal(self):
        return self.__hidden


class Chain:
    def __init__(self, path=""):
        self._path = path

    def __getattr__(self, name):
        return Chain(f"{self._path}/{name}")

    def __call__(self, *ids):
        return Chain("/".join([self._path, *map(str, ids)]))

    def __str__(self):
        return self._path


d = AttrDict(a=1, b={"c": 2})
d.z = 5
del d.a
assert d.b.c == 2 and d == {"b": {"c": 2}, "z": 5} and not hasattr(d, "a") and getattr(d, "q", None) is None
ns = SimpleNamespace(v=1)
p = Proxy(ns)
p.v += 1
p.w = 9
del p.w
assert ns.v == 2 and p._log == [("get", "v"), ("set", "v"), ("set", "w"), ("del", "w")]
f = Frozen(a=1)
try:
    f.a = 2
except AttributeError as e:
    assert str(e) == "Frozen is immutable"
a = Audited()
assert a.x == 1 and Audited.reads == ["x"]
s = Secret()
assert s.reveal() == 42 and s._Secret__hidden == 42 and "visible" in dir(s) and sorted(vars(s)) == ["_Secret__hidden", "_semi"]
try:
    s.__hidden
except AttributeError as e:
    assert "__hidden" in str(e)
assert str(Chain().users(3).posts.all) == "/users/3/posts/all"
setattr(s, "dyn", lambda: "called")
assert s.dyn() == "called" and callable(getattr(s, "reveal"))
delattr(s, "dyn")
assert not hasattr(s, "dyn")


class Meta(type):
    def __getattr__(cls, name):
        return f"class-level {name}"

    def __contains__(cls, x):
        return x in cls.items

    def __iter__(cls):
        return iter(cls.items)


class Thing(metaclass=Meta):
    items = [1, 2]


assert Thing.foo == "class-level foo" and 2 in Thing and list(Thing) == [1, 2]


def fn():
    pass


fn.meta = {"a": 1}
assert fn.__dict__ == {"meta": {"a": 1}} and fn.__module__ == "__main__" and Thing.__qualname__ == "Thing"
assert isinstance(Thing.__dict__["items"], list) and "items" in Thing.__dict__
print(d, p.v)
