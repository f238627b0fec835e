from collections import Counter, ChainMap, deque, defaultdict, namedtuple, OrderedDict, UserList, UserString, abc

# Counter
c = Counter('gallahad')
c.update('ad')
c.subtract({'l': 5})
print(sorted(c.items()), +c == Counter({k: v for k, v in c.items() if v > 0}))
assert c['l'] == -3 and c['missing'] == 0
assert Counter(a=3, b=1) & Counter(a=1, b=2) == Counter(a=1, b=1)
assert Counter(a=3, b=1) | Counter(a=1, b=2) == Counter(a=3, b=2)
assert list(Counter(a=2, b=1).elements()) == ['a', 'a', 'b']
assert Counter("aab") <= Counter("aaab") and Counter(a=3) - Counter(a=5) == Counter()

# deque
def tail(lines, n=3):
    return deque(lines, n)
d = deque('ghi')
d.append('j'); d.appendleft('f'); d.rotate(1)
assert list(d) == list('jfghi') and d.pop() == 'i' and d.popleft() == 'j'
d.extendleft('abc')
print(d, d.maxlen, tail(range(10)))
d.insert(2, 'X'); d.remove('X'); del d[0]
assert d[0] == 'b' and d.index('f') == 2 and 'z' not in d

def moving_average(iterable, n=3):
    it = iter(iterable)
    window = deque((next(it) for _ in range(n - 1)), n)
    for x in it:
        window.append(x)
        yield sum(window) / n
assert list(moving_average([40, 30, 50, 46, 39, 44])) == [40.0, 42.0, 45.0, 43.0]

# defaultdict
s = [('yellow', 1), ('blue', 2), ('yellow', 3), ('blue', 4), ('red', 1)]
d = defaultdict(list)
for k, v in s:
    d[k].append(v)
assert sorted(d.items()) == [('blue', [2, 4]), ('red', [1]), ('yellow', [1, 3])]
tree = lambda: defaultdict(tree)
t = tree()
t['a']['b']['c'] = 1
print(dict(t['a']), t['a']['b'])

# namedtuple
Point = namedtuple('Point', 'x y', defaults=[0])
p = Point(11)
assert p._fields == ('x', 'y') and p._replace(x=1) == (1, 0) and Point._make([3, 4]).y == 4
assert Point(**{'x': 1, 'y': 2})._asdict() == {'x': 1, 'y': 2}
Pair = namedtuple('Pair', Point._fields + ('class',), rename=True)
print(p, Pair(1, 2, 3), Point._field_defaults)
Point.__doc__ += ': 2D'
assert Point.__doc__.endswith('2D')

# ChainMap
class DeepChainMap(ChainMap):
    def __setitem__(self, key, value):
        for mapping in self.maps:
            if key in mapping:
                mapping[key] = value
                return
        self.maps[0][key] = value
cm = DeepChainMap({'zebra': 'black'}, {'elephant': 'blue'}, {'lion': 'yellow'})
cm['lion'] = 'orange'
cm['snake'] = 'red'
assert cm.maps[2] == {'lion': 'orange'} and cm.maps[0]['snake'] == 'red'
assert cm.new_child({'lion': 1})['lion'] == 1 and cm.parents['lion'] == 'orange'

# OrderedDict
class LastUpdated(OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self.move_to_end(key)
lu = LastUpdated(a=1, b=2)
lu['a'] = 3
assert list(lu) == ['b', 'a'] and lu.popitem(last=False) == ('b', 2)
print(lu)

# User*
class Even(UserList):
    def append(self, x):
        if x % 2:
            raise ValueError(x)
        super().append(x)
e = Even([2])
e.append(4)
assert e == [2, 4] and isinstance(e, abc.MutableSequence) and (e + [6]).data == [2, 4, 6]
assert UserString('abc').upper() == 'ABC' and isinstance({}.keys(), abc.KeysView)
