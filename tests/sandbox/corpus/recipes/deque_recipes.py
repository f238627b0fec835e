from collections import deque
import itertools


def tail(lines, n=10):
    'Return the last n lines'
    return deque(lines, n)


def moving_average(iterable, n=3):
    # moving_average([40, 30, 50, 46, 39, 44]) --> 40.0 42.0 45.0 43.0
    it = iter(iterable)
    d = deque(itertools.islice(it, n - 1))
    d.appendleft(0)
    s = sum(d)
    for elem in it:
        s += elem - d.popleft()
        d.append(elem)
        yield s / n


def roundrobin(*iterables):
    iterators = deque(map(iter, iterables))
    while iterators:
        try:
            while True:
                yield next(iterators[0])
                iterators.rotate(-1)
        except StopIteration:
            iterators.popleft()


def delete_nth(d, n):
    d.rotate(-n)
    d.popleft()
    d.rotate(n)


def josephus(n, k):
    circle = deque(range(1, n + 1))
    order = []
    while circle:
        circle.rotate(1 - k)
        order.append(circle.popleft())
    return order


def is_palindrome(text):
    chars = deque(c.lower() for c in text if c.isalpha())
    while len(chars) > 1:
        if chars.pop() != chars.popleft():
            return False
    return True


def sliding_max(values, k):
    best = deque()
    out = []
    for i, v in enumerate(values):
        while best and values[best[-1]] <= v:
            best.pop()
        best.append(i)
        if best[0] <= i - k:
            best.popleft()
        if i >= k - 1:
            out.append(values[best[0]])
    return out


def shortest_path(maze):
    rows = maze.split()
    start = next((r, c) for r, row in enumerate(rows) for c, ch in enumerate(row) if ch == 'S')
    queue = deque([(start, 0)])
    seen = {start}
    while queue:
        (r, c), dist = queue.popleft()
        if rows[r][c] == 'E':
            return dist
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            nr, nc = r + dr, c + dc
            if 0 <= nr < len(rows) and 0 <= nc < len(rows[nr]) and rows[nr][nc] != '#' and (nr, nc) not in seen:
                seen.add((nr, nc))
                queue.append(((nr, nc), dist + 1))
    return None


class History(object):
    """Back and forward buttons."""

    def __init__(self, limit=3):
        self.back_pages = deque(maxlen=limit)
        self.forward_pages = deque()
        self.current = None

    def visit(self, url):
        if self.current is not None:
            self.back_pages.append(self.current)
        self.current = url
        self.forward_pages.clear()

    def back(self):
        if self.back_pages:
            self.forward_pages.appendleft(self.current)
            self.current = self.back_pages.pop()
        return self.current

    def forward(self):
        if self.forward_pages:
            self.back_pages.append(self.current)
            self.current = self.forward_pages.popleft()
        return self.current


if __name__ == '__main__':
    assert list(tail(range(100), 3)) == [97, 98, 99]
    assert list(moving_average([40, 30, 50, 46, 39, 44])) == [40.0, 42.0, 45.0, 43.0]
    assert ''.join(roundrobin('ABC', 'D', 'EF')) == 'ADEBFC'
    d = deque('abcdef')
    delete_nth(d, 2)
    assert ''.join(d) == 'abdef'
    assert josephus(7, 3) == [3, 6, 2, 7, 5, 1, 4]
    assert is_palindrome('A man, a plan, a canal: Panama')
    assert not is_palindrome('python')
    assert sliding_max([1, 3, -1, -3, 5, 3, 6, 7], 3) == [3, 3, 5, 5, 6, 7]
    assert shortest_path('S.#\n..#\n#.E') == 4
    assert shortest_path('S#E') is None

    h = History()
    for page in 'abcde':
        h.visit(page)
    assert h.back() == 'd' and h.back() == 'c' and h.back() == 'b' and h.back() == 'b'
    assert h.forward() == 'c'
    h.visit('z')
    assert h.forward() == 'z'
    assert list(h.back_pages) == ['b', 'c']
    d.extendleft('yz')
    d += 'q'
    d.remove('b')
    assert list(reversed(d)) == ['q', 'f', 'e', 'd', 'a', 'y', 'z']
    assert d.index('a') == 2 and d.count('q') == 1
    d.insert(1, '!')
    assert repr(d.copy()) == repr(d)
    print(d)
