import random
from collections import Counter

# --- forest fire ---------------------------------------------------------
random.seed(99)
TREE, BURN, EMPTY = 'T', '*', ' '
P_GROW, P_FIRE = 0.05, 0.01
H, W = 10, 30

forest = [[TREE if random.random() < .6 else EMPTY for _ in range(W)] for _ in range(H)]

def neighbours(y, x):
    for dy in -1, 0, 1:
        for dx in -1, 0, 1:
            if (dy or dx) and 0 <= y + dy < H and 0 <= x + dx < W:
                yield y + dy, x + dx

def step(grid):
    new = [row[:] for row in grid]
    for y in range(H):
        for x in range(W):
            cell = grid[y][x]
            if cell == BURN:
                new[y][x] = EMPTY
            elif cell == EMPTY and random.random() < P_GROW:
                new[y][x] = TREE
            elif cell == TREE:
                if any(grid[b][a] == BURN for b, a in neighbours(y, x)) or random.random() < P_FIRE:
                    new[y][x] = BURN
    return new

history = []
for t in range(25):
    forest = step(forest)
    c = Counter(cell for row in forest for cell in row)
    history.append((c[TREE], c[BURN], c[EMPTY]))
print('\n'.join(''.join(row) for row in forest))
assert all(sum(h) == H * W for h in history)
assert max(h[1] for h in history) > 3
print('burning:', ' '.join(str(h[1]) for h in history))


# --- epidemic ------------------------------------------------------------
class Person:
    """S -> I -> R"""
    __slots__ = ['state', 'days', 'friends']

    def __init__(self):
        self.state = 'S'
        self.days = 0
        self.friends = []

    def meet(self, p):
        for f in self.friends:
            if f.state == 'S' and random.random() < p:
                f.state = 'E'

people = [Person() for _ in range(120)]
for i, p in enumerate(people):
    p.friends = random.sample([q for q in people if q is not p], 5)
    p.friends.append(people[i - 1])

people[0].state = 'I'
series = []
day = 0
while any(p.state == 'I' for p in people):
    for p in people:
        if p.state == 'I':
            p.meet(0.15)
            p.days += 1
    for p in people:
        if p.state == 'I' and p.days > 4:
            p.state = 'R'
        if p.state == 'E':
            p.state = 'I'
    day += 1
    tally = dict.fromkeys('SIR', 0)
    for p in people:
        tally[p.state] += 1
    series.append(tally)

peak = max(range(len(series)), key=lambda d: series[d]['I'])
print("over after %d days, peak %d on day %d" % (day, series[peak]['I'], peak))
for d, tally in enumerate(series):
    if d % 4 == 0:
        print('%3d %s' % (d, ''.join(k * (tally[k] // 3) for k in 'SIR')))
assert series[-1]['I'] == 0
assert series[-1]['S'] + series[-1]['R'] == 120
assert all(a['S'] >= b['S'] for a, b in zip(series, series[1:]))
