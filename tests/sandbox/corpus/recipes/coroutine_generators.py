"""Generators as coroutines: send, throw, close, yield from, return values."""
from collections import deque
from functools import wraps
from types import GeneratorType


def coroutine(func):
    """Advance to the first yield."""
    @wraps(func)
    def primed(*args, **kwargs):
        gen = func(*args, **kwargs)
        next(gen)
        return gen
    return primed


@coroutine
def averager():
    total, count, average = 0.0, 0, None
    while True:
        term = yield average
        if term is None:
            return total / count if count else None
        total += term
        count += 1
        average = total / count


@coroutine
def broadcast(*targets):
    try:
        while True:
            item = yield
            for t in targets:
                t.send(item)
    finally:
        for t in targets:
            t.close()


@coroutine
def grep(pattern, target):
    while True:
        line = yield
        if pattern in line:
            target.send(line)


@coroutine
def collect(into, label=''):
    try:
        while True:
            into.append(label + (yield))
    except GeneratorExit:
        into.append(label + '<eof>')


def resilient():
    value = 0
    while True:
        try:
            command = yield value
            if command == 'reset':
                value = 0
                continue
        except ValueError as e:
            value = f'handled {e}'
            yield value
            value = -1
        else:
            value += 1


def grouper(results):
    while True:
        key = yield
        if key is None:
            return
        results[key] = yield from inner_average()


def inner_average():
    total = n = 0
    while (x := (yield)) is not None:
        total += x
        n += 1
    return total / n


def flatten(items, ignore=(str, bytes)):
    for x in items:
        if hasattr(x, '__iter__') and not isinstance(x, ignore):
            yield from flatten(x)
        else:
            yield x


class Tree:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right


class Scheduler:
    """Round robin among generators that yield to let the others run."""

    def __init__(self):
        self.ready = deque()
        self.results = {}

    def spawn(self, name, gen):
        assert isinstance(gen, GeneratorType)
        self.ready.append((name, gen, None))

    def run(self):
        while self.ready:
            name, gen, value = self.ready.popleft()
            try:
                request = gen.send(value)
            except StopIteration as stop:
                self.results[name] = stop.value
            else:
                self.ready.append((name, gen, request * 2 if request else None))
        return self.results


def countdown(n, log):
    while n:
        log.append(n)
        got = yield n
        assert got == n * 2
        n -= 1
    return 'liftoff'


def hanoi(n, a='A', b='B', c='C'):
    if n:
        yield from hanoi(n - 1, a, c, b)
        yield a, c
        yield from hanoi(n - 1, b, a, c)


def main():
    avg = averager()
    assert [avg.send(x) for x in (10, 30, 5)] == [10.0, 20.0, 15.0]
    try:
        avg.send(None)
    except StopIteration as e:
        assert e.value == 15.0
    assert averager.__doc__ is None and averager.__name__ == 'averager'

    a, b = [], []
    with_py = broadcast(grep('py', collect(a)), collect(b, '> '))
    for line in ('python', 'ruby', 'pypy'):
        with_py.send(line)
    with_py.close()
    assert a[:2] == ['python', 'pypy']
    assert b == ['> python', '> ruby', '> pypy', '> <eof>']

    r = resilient()
    assert next(r) == 0 and r.send('x') == 1 and r.send('y') == 2 and r.send('reset') == 0
    assert r.throw(ValueError('oops')) == 'handled oops' and next(r) == -1
    try:
        r.throw(KeyError('k'))
    except KeyError as e:
        assert e.args == ('k',)
    else:
        raise AssertionError('KeyError was not handled by anyone')
    assert next(r, 'finished') == 'finished'

    results = {}
    g = grouper(results)
    next(g)
    for key, values in {'kg': [40, 50], 'm': [1.5, 1.7, 1.6]}.items():
        g.send(key)
        for v in values:
            g.send(v)
        g.send(None)
    assert results['kg'] == 45.0 and round(results['m'], 2) == 1.6
    g.close()

    assert list(flatten([1, [2, (3, 'four'), {5: 6}], []])) == [1, 2, 3, 'four', 5]
    assert list(Tree(4, Tree(2, Tree(1), Tree(3)), Tree(5))) == [1, 2, 3, 4, 5]
    s, log = Scheduler(), []
    s.spawn('a', countdown(3, log))
    s.spawn('b', countdown(1, log))
    assert s.run() == {'b': 'liftoff', 'a': 'liftoff'} and log == [3, 1, 2, 1]
    assert len(list(hanoi(5))) == 31 and next(hanoi(3)) == ('A', 'C')
    gen = (x for x in 'ab')
    assert isinstance(gen, GeneratorType) and [*gen, *gen] == ['a', 'b']


main()
