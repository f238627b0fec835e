"""Sorting HOWTO and the operator module."""
import operator
from functools import cmp_to_key, reduce
from itertools import groupby
from operator import attrgetter, itemgetter, methodcaller


class Student:
    def __init__(self, name, grade, age):
        self.name = name
        self.grade = grade
        self.age = age

    def __repr__(self):
        return repr((self.name, self.grade, self.age))

    def weighted_grade(self, bonus=0):
        return 'CBA'.index(self.grade) / float(self.age) + bonus

    def __lt__(self, other):
        return self.age < other.age


student_tuples = [('john', 'A', 15), ('jane', 'B', 12), ('dave', 'B', 10)]
students = [Student(*t) for t in student_tuples]

# key functions
assert sorted("This is a test string from Andrew".split(), key=str.casefold)[:3] == ['a', 'Andrew', 'from']
assert sorted(student_tuples, key=lambda s: s[2])[0][0] == 'dave'
assert sorted(student_tuples, key=itemgetter(1, 2))[-1][0] == 'jane'
assert repr(sorted(students, key=attrgetter('grade', 'age'))) == "[('john', 'A', 15), ('dave', 'B', 10), ('jane', 'B', 12)]"
assert [s.name for s in sorted(students, key=methodcaller('weighted_grade', bonus=1))] == ['jane', 'dave', 'john']
assert [s.name for s in sorted(students)] == ['dave', 'jane', 'john']
students.sort(reverse=True)
assert students[0].name == 'john'

# stability
data = [('red', 1), ('blue', 1), ('red', 2), ('blue', 2)]
assert sorted(data, key=itemgetter(0)) == [('blue', 1), ('blue', 2), ('red', 1), ('red', 2)]
standard_way = sorted(data, key=itemgetter(0), reverse=True)
double_reversed = list(reversed(sorted(reversed(data), key=itemgetter(0))))
assert standard_way == double_reversed == [('red', 1), ('red', 2), ('blue', 1), ('blue', 2)]


def multisort(xs, specs):
    for key, reverse in reversed(specs):
        xs.sort(key=attrgetter(key), reverse=reverse)
    return xs


assert [s.name for s in multisort(list(students), (('grade', True), ('age', False)))] == ['dave', 'jane', 'john']

# decorate-sort-undecorate
decorated = [(s.grade, i, s) for i, s in enumerate(students)]
decorated.sort()
assert [s.name for grade, i, s in decorated] == ['john', 'jane', 'dave']


def reverse_numeric(x, y):
    return y - x


assert sorted([5, 2, 4, 1, 3], key=cmp_to_key(reverse_numeric)) == [5, 4, 3, 2, 1]
newgrades = {'john': 'F', 'jane': 'A', 'dave': 'C'}
assert sorted(newgrades, key=newgrades.__getitem__) == ['jane', 'dave', 'john']
assert sorted([None, 3, 1], key=lambda x: (x is None, x)) == [1, 3, None]
assert max(newgrades.items(), key=itemgetter(1)) == ('john', 'F')


# own sorts to compare with
def merge_sort(xs, key=lambda x: x):
    if len(xs) < 2:
        return xs[:]
    mid = len(xs) // 2
    left, right = merge_sort(xs[:mid], key), merge_sort(xs[mid:], key)
    out = []
    while left and right:
        out.append((right if key(right[0]) < key(left[0]) else left).pop(0))
    return out + left + right


def quick_sort(xs):
    if not xs:
        return []
    pivot, *rest = xs
    return quick_sort([x for x in rest if x < pivot]) + [pivot] + quick_sort([x for x in rest if x >= pivot])


def insertion_sort(xs):
    for i in range(1, len(xs)):
        j = i
        while j > 0 and xs[j - 1] > xs[j]:
            xs[j - 1], xs[j] = xs[j], xs[j - 1]
            j -= 1
    return xs


def counting_sort(xs):
    counts = [0] * (max(xs) + 1)
    for x in xs:
        counts[x] += 1
    return [x for x, n in enumerate(counts) for _ in range(n)]


nums = [31, 4, 15, 9, 26, 5, 35, 8, 97, 9]
for sort in (merge_sort, quick_sort, insertion_sort, counting_sort):
    assert sort(list(nums)) == sorted(nums), sort.__name__
assert merge_sort(data, key=itemgetter(0)) == sorted(data, key=itemgetter(0))

# the operator module
assert reduce(operator.mul, range(1, 6)) == 120
assert list(map(operator.add, [1, 2], [10, 20])) == [11, 22]
assert operator.itemgetter(slice(2, None))('ABCDE') == 'CDE'
assert attrgetter('__class__.__name__')(3) == 'int'
assert operator.concat([1], [2]) == [1, 2] and operator.contains('abc', 'b')
assert operator.countOf([1, 2, 1], 1) == 2 and operator.indexOf('abc', 'c') == 2
ops = {'+': operator.add, '-': operator.sub, '*': operator.mul, '/': operator.truediv, '//': operator.floordiv,
       '%': operator.mod, '**': operator.pow, '<': operator.lt, '&': operator.and_, '^': operator.xor}


def rpn(text):
    stack = []
    for tok in text.split():
        if tok in ops:
            b, a = stack.pop(), stack.pop()
            stack.append(ops[tok](a, b))
        else:
            stack.append(float(tok) if '.' in tok else int(tok))
    (result,) = stack
    return result


assert rpn('3 4 + 2 *') == 14 and rpn('2 3 ** 7 %') == 1 and rpn('1.5 2 <') is True
d = {'a': 1}
operator.setitem(d, 'b', 2)
operator.delitem(d, 'a')
assert d == {'b': 2} and operator.getitem(d, 'b') == 2
lst = [1]
lst = operator.iadd(lst, [2])
assert lst == [1, 2] and operator.not_([]) and operator.truth(lst) and operator.is_not(lst, d)
assert operator.index(True) == 1 and operator.neg(3) == operator.invert(2) == -3
assert [(k, [n for n, *_ in g]) for k, g in groupby(sorted(student_tuples, key=itemgetter(1)), key=itemgetter(1))] == [
    ('A', ['john']), ('B', ['jane', 'dave'])]
assert operator.length_hint(iter([1, 2, 3])) == 3 and operator.matmul.__name__ == 'matmul'
print(students)
