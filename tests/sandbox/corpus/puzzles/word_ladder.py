"""Word ladders, anagrams and other games with a small dictionary."""
from collections import defaultdict, deque
import string

WORDS = """
cold cord card ward warm word worm worn corn core care dare bare barn born bold gold
golf wolf wild wind wine vine fine find fond food wood good lead load loaf leaf head
heal teal tell tall tail hail rail rain ruin main pain pair hair stop pots spot tops
opts post cart care race acre listen silent enlist tinsel evil vile live veil
""".split()


def buckets(words):
    result = defaultdict(list)
    for word in words:
        for i in range(len(word)):
            result[word[:i] + "_" + word[i + 1:]].append(word)
    return result


def neighbours(word, words=frozenset(WORDS)):
    return {
        candidate
        for i, old in enumerate(word)
        for new in string.ascii_lowercase
        if new != old and (candidate := word[:i] + new + word[i + 1:]) in words
    }


def ladder(start, end, words=WORDS):
    by_pattern = buckets(set(words))
    queue = deque([[start]])
    seen = {start}
    while queue:
        path = queue.popleft()
        last = path[-1]
        if last == end:
            return path
        for i in range(len(last)):
            for word in by_pattern.pop(f"{last[:i]}_{last[i + 1:]}", []):
                if word not in seen:
                    seen.add(word)
                    queue.append([*path, word])
    return []


def both_ends(start, end):
    """The length of the shortest ladder, searching from both ends."""
    front, back, unused, steps = {start}, {end}, set(WORDS) - {start, end}, 1
    while front:
        if front & back:
            return steps
        grown = set().union(*map(neighbours, front)) & (unused | back)
        unused -= grown
        front, back = grown, back
        steps += 1
        if len(front) > len(back):
            front, back = back, front
    return None


def anagrams(words):
    families = defaultdict(set)
    for word in words:
        families["".join(sorted(word))].add(word)
    return sorted((sorted(f) for f in families.values() if len(f) > 2), key=lambda f: (-len(f), f))


def islands(words):
    left = {w for w in words if len(w) == 4}
    while left:
        island, todo = set(), {left.pop()}
        while todo:
            word = todo.pop()
            island.add(word)
            todo |= neighbours(word) & left
            left -= todo
        yield island


path = ladder("cold", "warm")
print(" -> ".join(path))
assert path[:2] == ["cold", "cord"] and path[-1] == "warm" and len(path) == 5
assert all(sum(a != b for a, b in zip(x, y)) == 1 for x, y in zip(path, path[1:]))
assert ladder("stop", "evil") == [] and ladder("gold", "gold") == ["gold"]
assert both_ends("cold", "warm") == 5 == len(path)
assert both_ends("heal", "hair") == len(ladder("heal", "hair")) == 7
assert both_ends("stop", "evil") is None
assert neighbours("cord") == {"cold", "card", "word", "corn", "core"}
families = anagrams(WORDS)
assert families[0] == ["opts", "post", "pots", "spot", "stop", "tops"]
assert [len(f) for f in families] == [6, 4, 4, 3] and families[-1] == ["acre", "care", "race"]
groups = sorted(islands(WORDS), key=len)
assert sum(map(len, groups)) == len({w for w in WORDS if len(w) == 4})
assert len(groups[-1]) > 30 and not set.intersection(*groups)
