"""ID3-style decision tree, printed as rules."""
import math
from collections import Counter
from functools import partial
from operator import itemgetter

ROWS = '''
outlook   temp  humidity windy play
sunny     hot   high     no    no
sunny     hot   high     yes   no
overcast  hot   high     no    yes
rain      mild  high     no    yes
rain      cool  normal   no    yes
rain      cool  normal   yes   no
overcast  cool  normal   yes   yes
sunny     mild  high     no    no
sunny     cool  normal   no    yes
rain      mild  normal   no    yes
sunny     mild  normal   yes   yes
overcast  mild  high     yes   yes
overcast  hot   normal   no    yes
rain      mild  high     yes   no
'''

header, *body = [line.split() for line in ROWS.strip().splitlines()]
data = [dict(zip(header, row)) for row in body]


def entropy(labels):
    n = len(labels)
    return sum(-c / n * math.log2(c / n) for c in Counter(labels).values())


def gini(labels):
    n = len(labels)
    return 1 - sum((c / n) ** 2 for c in Counter(labels).values())


def split(rows, attribute):
    groups = {}
    for row in rows:
        groups.setdefault(row[attribute], []).append(row)
    return groups


def gain(rows, target, attribute, impurity=entropy):
    label = itemgetter(target)
    rest = sum(len(g) / len(rows) * impurity([*map(label, g)]) for g in split(rows, attribute).values())
    return impurity([*map(label, rows)]) - rest


class Leaf:
    def __init__(self, label, counts):
        self.label, self.counts = label, counts

    def __call__(self, row):
        return self.label

    def rules(self, path=()):
        yield ' and '.join(path) + ' => ' + self.label

    depth = 0
    size = 1


class Branch:
    def __init__(self, attribute, children, default):
        self.attribute = attribute
        self.children = children
        self.default = default

    def __call__(self, row):
        child = self.children.get(row.get(self.attribute))
        return child(row) if child else self.default

    def rules(self, path=()):
        for value, child in sorted(self.children.items()):
            yield from child.rules((*path, f'{self.attribute}={value}'))

    @property
    def depth(self):
        return 1 + max(c.depth for c in self.children.values())

    @property
    def size(self):
        return 1 + sum(c.size for c in self.children.values())


def grow(rows, target, attributes=None, *, max_depth=10, impurity=entropy):
    attributes = [a for a in attributes or rows[0] if a != target]
    counts = Counter(r[target] for r in rows)
    majority = counts.most_common(1)[0][0]
    if len(counts) == 1 or not attributes or max_depth == 0:
        return Leaf(majority, counts)
    best = max(attributes, key=partial(gain, rows, target, impurity=impurity))
    if gain(rows, target, best, impurity) <= 1e-12:
        return Leaf(majority, counts)
    rest = [a for a in attributes if a != best]
    children = {value: grow(group, target, rest or [target], max_depth=max_depth - 1, impurity=impurity)
                for value, group in split(rows, best).items()}
    return Branch(best, children, majority)


def draw(tree, indent=''):
    if isinstance(tree, Leaf):
        return indent + '-> {} {}'.format(tree.label, dict(tree.counts))
    lines = []
    for value, child in tree.children.items():
        lines.append(f'{indent}{tree.attribute} = {value}')
        lines.append(draw(child, indent + '  '))
    return '\n'.join(lines)


def leave_one_out(rows, target, **options):
    hits = 0
    for i, row in enumerate(rows):
        hits += grow(rows[:i] + rows[i + 1:], target, **options)(row) == row[target]
    return hits / len(rows)


def prune(tree):
    """Branches whose leaves all agree are leaves."""
    if isinstance(tree, Leaf):
        return tree
    children = {v: prune(c) for v, c in tree.children.items()}
    labels = {c.label for c in children.values() if isinstance(c, Leaf)}
    if len(labels) == 1 and all(isinstance(c, Leaf) for c in children.values()):
        return Leaf(labels.pop(), sum((c.counts for c in children.values()), Counter()))
    return Branch(tree.attribute, children, tree.default)


assert round(entropy([r['play'] for r in data]), 3) == 0.94 and entropy(['a']) == 0
gains = {a: round(gain(data, 'play', a), 3) for a in header[:-1]}
assert gains == {'outlook': 0.247, 'temp': 0.029, 'humidity': 0.152, 'windy': 0.048}, gains
tree = grow(data, 'play')
print(draw(tree))
assert list(tree.rules()) == [
    'outlook=overcast => yes',
    'outlook=rain and windy=no => yes', 'outlook=rain and windy=yes => no',
    'outlook=sunny and humidity=high => no', 'outlook=sunny and humidity=normal => yes',
]
assert (tree.depth, tree.size) == (2, 8)
assert all(tree(r) == r['play'] for r in data)
assert tree({'outlook': 'snow'}) == 'yes' and tree({'outlook': 'sunny', 'humidity': 'high'}) == 'no'
stump = grow(data, 'play', max_depth=1, impurity=gini)
assert stump.depth == 1 and stump.attribute == 'outlook' and 0.5 < leave_one_out(data, 'play') <= 1
same = Branch('x', {'1': Leaf('a', Counter('a')), '2': Leaf('a', Counter('aa'))}, 'a')
assert prune(same).counts['a'] == 3 and prune(tree).size == tree.size
