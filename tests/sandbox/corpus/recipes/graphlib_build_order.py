from __future__ import annotations
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter


@dataclass
class Task:
    name: str
    needs: tuple[str, ...] = ()
    duration: int = 1

    def __hash__(self):
        return hash(self.name)


@dataclass
class Build:
    tasks: dict[str, Task] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)

    def task(self, *needs: str, duration: int = 1):
        """Register the decorated function as a task."""
        def register(func):
            self.tasks[func.__name__] = Task(func.__name__, needs, duration)
            return func
        return register

    @property
    def graph(self) -> dict[str, tuple[str, ...]]:
        return {t.name: t.needs for t in self.tasks.values()}

    def order(self) -> list[str]:
        return list(TopologicalSorter(self.graph).static_order())

    def waves(self):
        ts = TopologicalSorter(self.graph)
        ts.prepare()
        while ts.is_active():
            ready = sorted(ts.get_ready())
            yield ready
            ts.done(*ready)

    def simulate(self, workers: int) -> int:
        """Time until all is done with so many workers."""
        ts = TopologicalSorter(self.graph)
        ts.prepare()
        clock, waiting, running = 0, [], []
        while ts.is_active():
            waiting += ts.get_ready()
            waiting.sort(key=lambda n: (-self.tasks[n].duration, n))
            while waiting and len(running) < workers:
                name = waiting.pop(0)
                running.append((clock + self.tasks[name].duration, name))
                self.log.append(f'{clock:>3} start {name}')
            running.sort()
            clock, name = running.pop(0)
            self.log.append(f'{clock:>3} done  {name}')
            ts.done(name)
        return clock

    def critical_path(self) -> tuple[int, list[str]]:
        best: dict[str, tuple[int, list[str]]] = {}
        for name in self.order():
            length, path = max((best[n] for n in self.tasks[name].needs), default=(0, []))
            best[name] = (length + self.tasks[name].duration, [*path, name])
        return max(best.values())


build = Build()


@build.task(duration=2)
def fetch(): ...


@build.task('fetch', duration=5)
def compile_c(): ...


@build.task('fetch', duration=3)
def docs(): ...


@build.task('compile_c', duration=4)
def test(): ...


@build.task('docs', 'test')
def package(): ...


def kahn(graph):
    """The same without the library; dependencies come first."""
    indegree = {n: len(deps) for n, deps in graph.items()}
    users = {}
    for n, deps in graph.items():
        for d in deps:
            users.setdefault(d, []).append(n)
    ready = [n for n, k in indegree.items() if not k]
    out = []
    while ready:
        out.append(n := ready.pop())
        for u in users.get(n, ()):
            indegree[u] -= 1
            if not indegree[u]:
                ready.append(u)
    if len(out) != len(graph):
        raise ValueError('cycle among ' + ', '.join(sorted(graph.keys() - set(out))))
    return out


def strongly_connected(graph):
    """Tarjan's algorithm."""
    index, low, stack, result = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in graph.get(v, ()):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            result.append(set(stack[at:]))
            del stack[at:]

    for v in graph:
        if v not in index:
            visit(v)
    return result


if __name__ == '__main__':
    assert build.order()[0] == 'fetch' and build.order()[-1] == 'package'
    assert list(build.waves()) == [['fetch'], ['compile_c', 'docs'], ['test'], ['package']]
    assert build.simulate(1) == sum(t.duration for t in build.tasks.values()) == 15
    build.log.clear()
    assert build.simulate(2) == 12
    assert build.log[:3] == ['  0 start fetch', '  2 done  fetch', '  2 start compile_c']
    assert build.critical_path() == (12, ['fetch', 'compile_c', 'test', 'package'])
    order = kahn(build.graph)
    assert all(order.index(d) < order.index(n) for n, deps in build.graph.items() for d in deps)
    ts = TopologicalSorter()
    ts.add('D', 'B', 'C')
    ts.add('C', 'A')
    ts.add('B', 'A')
    assert [*ts.static_order()][::3] == ['A', 'D']
    looped = {'a': ['b'], 'b': ['c'], 'c': ['a'], 'd': []}
    try:
        TopologicalSorter(looped).prepare()
    except CycleError as e:
        message, cycle = e.args
        assert cycle[0] == cycle[-1] and set(cycle) == {'a', 'b', 'c'}
    else:
        raise AssertionError('cycle not found')
    try:
        kahn(looped)
    except ValueError as e:
        assert str(e) == 'cycle among a, b, c'
    assert sorted(map(len, strongly_connected(looped))) == [1, 3]
    print('\n'.join(build.log))
