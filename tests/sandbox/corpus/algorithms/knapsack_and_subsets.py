# Knapsacks: by table, by bounds, by subset sums. Beginner's notebook style.
items = [
    ("map", 9, 150), ("compass", 13, 35), ("water", 153, 200), ("sandwich", 50, 160),
    ("glucose", 15, 60), ("tin", 68, 45), ("banana", 27, 60), ("apple", 39, 40),
    ("cheese", 23, 30), ("beer", 52, 10), ("suntan cream", 11, 70), ("camera", 32, 30),
    ("t-shirt", 24, 15), ("trousers", 48, 10), ("umbrella", 73, 40),
]
LIMIT = 250
calls = 0


def by_table(items, limit):
    n = len(items)
    table = [[0] * (limit + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        name, weight, value = items[i - 1]
        for w in range(limit + 1):
            table[i][w] = table[i - 1][w]
            if weight <= w and table[i - 1][w - weight] + value > table[i][w]:
                table[i][w] = table[i - 1][w - weight] + value
    # walk back to see what was taken
    chosen = []
    w = limit
    for i in range(n, 0, -1):
        if table[i][w] != table[i - 1][w]:
            chosen.append(items[i - 1][0])
            w -= items[i - 1][1]
    chosen.reverse()
    return table[n][limit], chosen


def by_bounds(items, limit):
    """Branch and bound with the fractional relaxation."""
    items = sorted(items, key=lambda it: it[2] / it[1], reverse=True)
    best = 0

    def bound(i, room):
        total = 0
        for _, weight, value in items[i:]:
            if weight > room:
                return total + value * room / weight
            room -= weight
            total += value
        return total

    def search(i, room, value):
        global calls
        nonlocal best
        calls += 1
        best = max(best, value)
        if i == len(items) or value + bound(i, room) <= best:
            return
        _, weight, worth = items[i]
        if weight <= room:
            search(i + 1, room - weight, value + worth)
        search(i + 1, room, value)

    search(0, limit, 0)
    return best


def by_brute_force(items, limit):
    best = (0, ())
    for mask in range(1 << len(items)):
        weight = value = 0
        i = 0
        while mask >> i:
            if mask >> i & 1:
                weight += items[i][1]
                value += items[i][2]
            i += 1
        if weight <= limit and value > best[0]:
            best = (value, mask)
    return best[0]


def fractional(items, limit):
    total = 0.0
    for name, weight, value in sorted(items, key=lambda it: -it[2] / it[1]):
        taken = min(weight, limit)
        total += value * taken / weight
        limit -= taken
        if limit == 0:
            break
    return total


def subset_sum(numbers, target):
    reached = {0: []}
    for n in numbers:
        for s, used in list(reached.items()):
            if s + n not in reached:
                reached[s + n] = used + [n]
    return reached.get(target)


value, chosen = by_table(items, LIMIT)
print("%d worth of %s" % (value, ", ".join(chosen)))
weights = {name: weight for name, weight, _ in items}
assert sum(weights[name] for name in chosen) <= LIMIT
assert value == by_bounds(items, LIMIT)
assert value == sum(v for name, _, v in items if name in chosen)
assert 0 < calls < 2 ** len(items) / 10
assert by_table(items[:9], 100)[0] == by_brute_force(items[:9], 100) == by_bounds(items[:9], 100)
assert fractional(items, LIMIT) >= value
assert by_table([], 10) == (0, []) and by_table(items, 0)[0] == 0
found = subset_sum([3, 34, 4, 12, 5, 2], 9)
assert sum(found) == 9 and subset_sum([3, 34, 4], 6) is None
