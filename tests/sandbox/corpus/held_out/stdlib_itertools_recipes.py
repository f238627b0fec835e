"""Recipes, written out and tried."""
import itertools as it
import operator
import random
from collections import deque
from functools import partial

random.seed(3)


def take(n, iterable): return list(it.islice(iterable, n))
def prepend(value, iterable): return it.chain([value], iterable)
def tabulate(f, start=0): return map(f, it.count(start))
def nth(iterable, n, default=None): return next(it.islice(iterable, n, None), default)
def all_equal(iterable): g = it.groupby(iterable); return next(g, True) and not next(g, False)
def quantify(iterable, pred=bool): return sum(map(pred, iterable))
def ncycles(iterable, n): return it.chain.from_iterable(it.repeat(tuple(iterable), n))
def dotproduct(a, b): return sum(map(operator.mul, a, b))


def consume(iterator, n=None):
    if n is None:
        deque(iterator, maxlen=0)
    else:
        next(it.islice(iterator, n, n), None)


def sliding_window(iterable, n):
    i = iter(iterable)
    window = deque(it.islice(i, n - 1), maxlen=n)
    for x in i:
        window.append(x)
        yield tuple(window)


def batched(iterable, n):
    i = iter(iterable)
    while batch := tuple(it.islice(i, n)):
        yield batch


def roundrobin(*iterables):
    pending = len(iterables)
    nexts = it.cycle(iter(i).__next__ for i in iterables)
    while pending:
        try:
            for next_ in nexts:
                yield next_()
        except StopIteration:
            pending -= 1
            nexts = it.cycle(it.islice(nexts, pending))


def unique_everseen(iterable, key=None):
    seen = set()
    for x in iterable:
        k = x if key is None else key(x)
        if k not in seen:
            seen.add(k)
            yield x


def before_and_after(predicate, i):
    i = iter(i)
    transition = []

    def true_iterator():
        for elem in i:
            if predicate(elem):
                yield elem
            else:
                transition.append(elem)
                return
    return true_iterator(), it.chain(transition, i)


def iter_except(func, exception):
    try:
        while True:
            yield func()
    except exception:
        pass


def random_product(*args): return tuple(map(random.choice, map(tuple, args)))


assert take(3, tabulate(lambda x: x * x, 2)) == [4, 9, 16]
assert list(prepend(0, "ab")) == [0, "a", "b"]
i = iter(range(10))
consume(i, 4)
assert next(i) == 4 and consume(i) is None and next(i, "end") == "end"
assert nth("abc", 1) == "b" and nth("abc", 9) is None
assert all_equal("aaa") and not all_equal("aab") and all_equal([])
assert quantify([1, 0, 2]) == 2 and "".join(ncycles("ab", 3)) == "ababab" and dotproduct([1, 2], [3, 4]) == 11
assert list(map("".join, sliding_window("ABCDE", 3))) == ["ABC", "BCD", "CDE"]
assert list(batched("ABCDEFG", 3))[-1] == ("G",)
assert "".join(roundrobin("ABC", "D", "EF")) == "ADEBFC"
assert "".join(unique_everseen("ABBcCAD", str.lower)) == "ABcD"
a, b = before_and_after(str.isupper, "ABCdEfG")
assert "".join(a) == "ABC" and "".join(b) == "dEfG"
stack = [1, 2, 3]
assert list(iter_except(stack.pop, IndexError)) == [3, 2, 1]
print(random_product("AB", range(3)) in list(it.product("AB", range(3))))
print(list(it.compress("ABCDEF", [1, 0, 1, 0, 1, 1])), list(it.dropwhile(lambda x: x < 5, [1, 4, 6, 4, 1])))
print(*it.combinations_with_replacement("AB", 2), *it.permutations("abc", 2), *it.zip_longest("xy", "z", fillvalue="-"))
print({k: len(list(g)) for k, g in it.groupby(sorted("mississippi"))}, list(it.accumulate([3, 1, 4, 1, 5], max)))
x, y = it.tee(range(3))
assert list(it.starmap(pow, zip(x, it.repeat(2)))) == [0, 1, 4] and list(y) == [0, 1, 2]
assert list(it.chain(*[[1], [2]])) == [1, 2] and take(4, it.cycle("ab")) == list("abab")
double = partial(map, partial(operator.mul, 2))
assert list(double([1, 2])) == [2, 4] and take(2, it.count(1.5, 0.5)) == [1.5, 2.0]
