"""Generators: pipelines, send, throw, close, yield from, infinite sequences."""
import itertools
import sys


def naturals(n=0):
    while True:
        jump = yield n
        n = n + 1 if jump is None else jump


def palindromes():
    gen = naturals()
    for n in gen:
        if n > 9 and str(n) == str(n)[::-1]:
            yield n


assert list(itertools.islice(palindromes(), 12)) == [11, 22, 33, 44, 55, 66, 77, 88, 99, 101, 111, 121]

gen = naturals()
seen = [next(gen), next(gen), gen.send(100), next(gen)]
assert seen == [0, 1, 100, 101]
try:
    gen.throw(ValueError("that is enough"))
except ValueError as e:
    print("thrown:", e)
assert list(gen) == []

orders = """customer,item,price
ann,tea,3.50
bob,coffee,4.20
ann,cake,5.00
cid,tea,3.50
# a comment

bob,cake,5.00""".split("\n")


def strip_comments(lines):
    for line in lines:
        line = line.partition("#")[0].strip()
        if line:
            yield line


rows = (line.split(",") for line in strip_comments(orders))
header = next(rows)
records = (dict(zip(header, row)) for row in rows)
cakes = (float(r["price"]) for r in records if r["item"] == "cake")
total = sum(cakes)
print(f"Cakes: ${total:.2f}")
assert total == 10

as_list = [i ** 2 for i in range(10000)]
as_gen = (i ** 2 for i in range(10000))
assert sys.getsizeof(as_list) > sys.getsizeof(as_gen)
assert sum(as_gen) == sum(as_list)


def flatten(x):
    if isinstance(x, (list, tuple)):
        for y in x:
            yield from flatten(y)
    else:
        yield x


assert list(flatten([1, [2, (3, [4, [5]])], 6])) == [1, 2, 3, 4, 5, 6]


def averager():
    total = count = 0
    average = None
    while True:
        try:
            term = yield average
        except GeneratorExit:
            print("closing at", average)
            raise
        if term is None:
            return count, average
        total += term
        count += 1
        average = total / count


def grouper(results):
    while True:
        results.append((yield from averager()))


results = []
g = grouper(results)
next(g)
for v in (10, 20, 30, None, 5, None):
    g.send(v)
g.close()
assert results == [(3, 20.0), (1, 5.0)], results


def exhausted():
    return "done"
    yield


try:
    next(exhausted())
except StopIteration as stop:
    assert stop.value == "done"

a, b = itertools.tee(x * 2 for x in range(5))
assert list(zip(a, itertools.islice(b, 1, None))) == [(0, 2), (2, 4), (4, 6), (6, 8)]
