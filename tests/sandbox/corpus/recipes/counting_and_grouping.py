'''Counter arithmetic and defaultdict idioms.'''
import re
from collections import Counter, defaultdict
from itertools import count
from operator import itemgetter

TEXT = """It was the best of times, it was the worst of times, it was the age of
wisdom, it was the age of foolishness, it was the epoch of belief"""

words = Counter(re.findall(r"\w+", TEXT.lower()))
assert words.most_common(3) == [('it', 5), ('was', 5), ('the', 5)]
assert words['nothing'] == 0 and 'nothing' not in words
assert words.total() == sum(words.values())

# multiset arithmetic
c = Counter(a=3, b=1)
d = Counter(a=1, b=2)
assert c + d == Counter(a=4, b=3)
assert c - d == Counter({'a': 2})
assert c & d == Counter(a=1, b=1)
assert c | d == Counter(a=3, b=2)
assert +Counter(a=2, b=-4) == Counter(a=2)
assert -Counter(a=2, b=-4) == Counter(b=4)
assert Counter('abc') <= Counter('aabbcc')
c.subtract(d)
assert c == Counter(a=2, b=-1)
c += Counter('b' * 4)
assert sorted(c.elements()) == ['a', 'a', 'b', 'b', 'b']
del c['a']
assert list(c) == ['b']


def is_anagram(a, b):
    clean = lambda s: Counter(filter(str.isalpha, s.lower()))
    return clean(a) == clean(b)


def can_build(note, magazine):
    return not Counter(note) - Counter(magazine)


def least_common(counter, n):
    return counter.most_common()[:-n - 1:-1]


def mode_bins(values, width):
    bins = Counter(v // width * width for v in values)
    (lo, hits), = bins.most_common(1)
    return lo, lo + width, hits


assert is_anagram('Dormitory', 'dirty room')
assert can_build('abba', 'aabbcc') and not can_build('abba', 'abc')
assert least_common(Counter('aaabbc'), 2) == [('c', 1), ('b', 2)]
assert mode_bins([1, 12, 13, 19, 25, 31], 10) == (10, 20, 3)

# grouping
pairs = [('yellow', 1), ('blue', 2), ('yellow', 3), ('blue', 4), ('red', 1)]
groups = defaultdict(list)
for k, v in pairs:
    groups[k].append(v)
assert sorted(groups.items()) == [('blue', [2, 4]), ('red', [1]), ('yellow', [1, 3])]

letters = defaultdict(int)
for ch in 'mississippi':
    letters[ch] += 1
assert dict(letters) == {'m': 1, 'i': 4, 's': 4, 'p': 2}

unique = defaultdict(set)
for k, v in [('red', 1), ('blue', 2), ('red', 1), ('blue', 4)]:
    unique[k].add(v)
assert unique['blue'] == {2, 4}


def constant_factory(value):
    return lambda: value


status = defaultdict(constant_factory('<missing>'), name='John', action='ran')
assert '%(name)s %(action)s to %(object)s' % status == 'John ran to <missing>'

# numbering things in order of first appearance
ids = defaultdict(count().__next__)
assert [ids[w] for w in 'to be or not to be'.split()] == [0, 1, 2, 3, 0, 1]


def tree():
    return defaultdict(tree)


def plain(t):
    return {k: plain(v) for k, v in t.items()} if isinstance(t, dict) else t


taxonomy = tree()
taxonomy['animal']['cat']['lion'] = 'big'
taxonomy['animal']['dog']
taxonomy['plant']['oak']['red'] = 'tall'
assert plain(taxonomy) == {
    'animal': {'cat': {'lion': 'big'}, 'dog': {}},
    'plant': {'oak': {'red': 'tall'}},
}


class KeyDefault(defaultdict):
    """A default that depends on the key."""

    def __missing__(self, key):
        self[key] = value = self.default_factory(key)
        return value


squares = KeyDefault(lambda n: n * n)
assert squares[12] == 144 and list(squares) == [12]

index = defaultdict(lambda: defaultdict(list))
for lineno, line in enumerate(TEXT.splitlines(), 1):
    for col, word in enumerate(line.split()):
        index[word.strip(',')][lineno].append(col)
assert index['age'] == {1: [15], 2: [4]}
print(sorted(words.items(), key=itemgetter(1, 0), reverse=True)[:4])
