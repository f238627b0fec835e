import copy
import gc
import sys
import weakref
from collections import OrderedDict, UserDict, defaultdict


class Node:
    def __init__(self, name, *children):
        self.name = name
        self.children = list(children)
        self.parent = None
        for c in children:
            c.parent = self

    def __copy__(self):
        new = type(self).__new__(type(self))
        new.__dict__.update(self.__dict__)
        new.name += " (copy)"
        return new

    def __repr__(self):
        return f"{self.name}[{', '.join(map(repr, self.children))}]"


class Singleton:
    _instance = None

    def __new__(cls, *args, **kwargs):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __deepcopy__(self, memo):
        return self


class Borg:
    _shared = {}

    def __init__(self):
        self.__dict__ = self._shared


class Cache(UserDict):
    def __missing__(self, key):
        value = self[key] = key * 2
        return value


class Resource:
    live = weakref.WeakSet()

    def __init__(self, name):
        self.name = name
        self.live.add(self)


a = [1, [2, 3], {"k": [4]}]
shallow, deep = copy.copy(a), copy.deepcopy(a)
a[1].append(99)
a[2]["k"][0] = 0
assert shallow[1] is a[1] and deep[1] == [2, 3] and deep[2] == {"k": [4]}
assert a[:] == list(a) == a.copy() and a[:] is not a

loop = [1]
loop.append(loop)
twin = copy.deepcopy(loop)
assert twin[1] is twin and repr(loop) == "[1, [...]]"
print(loop)

tree = Node("root", Node("a", Node("a1")), Node("b"))
clone = copy.deepcopy(tree)
assert repr(clone) == repr(tree) and clone.children[0].parent is clone
assert copy.copy(tree).name == "root (copy)" and copy.copy(tree).children is tree.children
print(clone)

assert Singleton() is Singleton() is copy.deepcopy(Singleton())
x, y = Borg(), Borg()
x.value = 5
assert y.value == 5 and x is not y

c = Cache(a=1)
assert c["xy"] == "xyxy" and c == {"a": 1, "xy": "xyxy"}

r1, r2 = Resource("one"), Resource("two")
gone = []
weakref.finalize(r1, gone.append, "one is gone")
ref = weakref.ref(r1)
assert ref() is r1 and len(Resource.live) == 2
del r1
gc.collect()
assert ref() is None and gone == ["one is gone"] and [r.name for r in Resource.live] == ["two"]
wd = weakref.WeakValueDictionary(two=r2)
assert wd["two"] is r2

s, t = "hello world", "hello" + " " + "world"
assert sys.intern(s) is sys.intern(t) and id(s) == id(s)
m = [[0] * 3] * 2
m[0][0] = 1
assert m[1][0] == 1
d = defaultdict(list, {"x": [1]})
e = copy.deepcopy(d)
e["x"].append(2)
e["new"]
assert d == {"x": [1]} and e.default_factory is list
assert copy.replace if hasattr(copy, "replace") else True
od = OrderedDict(a=1, b=2)
od.move_to_end("a")
assert copy.copy(od) == OrderedDict(b=2, a=1) != OrderedDict(a=1, b=2)
t = (1, [2])
try:
    t[1] += [3]
except TypeError as err:
    print(err, t)
