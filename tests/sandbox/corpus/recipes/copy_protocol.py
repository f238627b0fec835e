"""Shallow and deep copies, and classes that say how they are copied."""
import copy
from dataclasses import dataclass, field


class Graph:
    def __init__(self, name):
        self.name = name
        self.edges = {}
        self._cache = {}

    def connect(self, a, b, weight=1):
        self.edges.setdefault(a, {})[b] = weight
        self._cache.clear()
        return self

    def degree(self, node):
        if node not in self._cache:
            self._cache[node] = len(self.edges.get(node, ()))
        return self._cache[node]

    def __copy__(self):
        new = type(self)(self.name + ' copy')
        new.edges = self.edges
        return new

    def __deepcopy__(self, memo):
        new = self.__class__.__new__(self.__class__)
        memo[id(self)] = new
        new.name = self.name + ' clone'
        new.edges = copy.deepcopy(self.edges, memo)
        new._cache = {}
        return new


class Singleton:
    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


@dataclass
class Monster:
    name: str
    hp: int = 10
    loot: list = field(default_factory=list)
    home: object = None

    def clone(self, **changes):
        twin = copy.deepcopy(self)
        for k, v in changes.items():
            if not hasattr(twin, k):
                raise AttributeError(k)
            setattr(twin, k, v)
        return twin


class Counter:
    """Only what __getstate__ gives is copied."""

    def __init__(self, start=0):
        self.value = start
        self.listeners = []

    def __getstate__(self):
        state = self.__dict__.copy()
        del state['listeners']
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.listeners = []


class Slotted:
    __slots__ = ('a', 'b')

    def __init__(self, a, b):
        self.a, self.b = a, b


def test_lists():
    grid = [[0] * 3 for _ in range(2)]
    shallow, deep = copy.copy(grid), copy.deepcopy(grid)
    grid[0][0] = 1
    grid.append('row')
    assert shallow == [[1, 0, 0], [0, 0, 0]]
    assert deep == [[0, 0, 0], [0, 0, 0]]
    loop = [1]
    loop.append(loop)
    twin = copy.deepcopy(loop)
    assert twin[1] is twin and twin is not loop
    shared = []
    pair = copy.deepcopy([shared, shared])
    assert pair[0] is pair[1]
    t = (1, 'a', (2,))
    assert copy.deepcopy(t) is t


def test_graph():
    g = Graph('g').connect('a', 'b').connect('a', 'c', 5)
    assert g.degree('a') == 2
    h, k = copy.copy(g), copy.deepcopy(g)
    g.connect('a', 'd')
    assert (h.name, h.degree('a')) == ('g copy', 3)
    assert (k.name, k.degree('a')) == ('g clone', 2)
    assert copy.deepcopy(Singleton()) is Singleton() is copy.copy(Singleton())


def test_prototypes():
    lair = {'depth': 3}
    orc = Monster('orc', loot=['axe'], home=lair)
    captain = orc.clone(name='captain', hp=30)
    captain.loot += ['helmet']
    captain.home['depth'] += 1
    assert orc == Monster('orc', 10, ['axe'], {'depth': 3})
    assert captain.loot == ['axe', 'helmet']
    try:
        orc.clone(wings=2)
    except AttributeError as e:
        assert e.args == ('wings',)
    else:
        raise AssertionError


def test_state():
    c = Counter(5)
    c.listeners.append(print)
    d = copy.copy(c)
    d.value += 1
    assert (c.value, d.value, d.listeners, len(c.listeners)) == (5, 6, [], 1)
    s = Slotted([1], 'x')
    u = copy.deepcopy(s)
    u.a.append(2)
    assert s.a == [1] and u.a == [1, 2] and u.b == 'x'
    d2 = {'k': [1]}.copy()
    assert d2 == {'k': [1]}


for t in [test_lists, test_graph, test_prototypes, test_state]:
    t()
print('copied')
