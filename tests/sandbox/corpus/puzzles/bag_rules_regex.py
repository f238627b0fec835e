"""Boxes within boxes: parsing sentences, then counting with recursion."""
import re
from collections import Counter, defaultdict
from functools import cache
from pprint import pformat, pprint

RULES = """
light red boxes hold 1 bright white box, 2 muted yellow boxes.
dark orange boxes hold 3 bright white boxes, 4 muted yellow boxes.
bright white boxes hold 1 shiny gold box.
muted yellow boxes hold 2 shiny gold boxes, 9 faded blue boxes.
shiny gold boxes hold 1 dark olive box, 2 vibrant plum boxes.
dark olive boxes hold 3 faded blue boxes, 4 dotted black boxes.
vibrant plum boxes hold 5 faded blue boxes, 6 dotted black boxes.
faded blue boxes hold no other boxes.
dotted black boxes hold no other boxes.
""".strip()

inside = {
    re.match(r"(\w+ \w+) boxes", line)[1]: Counter(
        {colour: int(n) for n, colour in re.findall(r"(\d+) (\w+ \w+) box", line)}
    )
    for line in RULES.split("\n")
}

outside = defaultdict(set)
for outer, inner in inside.items():
    for colour in inner:
        outside[colour].add(outer)


def holders(colour, seen=None):
    seen = set() if seen is None else seen
    for outer in outside[colour] - seen:
        seen.add(outer)
        holders(outer, seen)
    return seen


@cache
def size(colour):
    return sum(n * (1 + size(c)) for c, n in inside[colour].items())


def flatten(colour):
    total = Counter()
    for c, n in inside[colour].items():
        for deep, m in (flatten(c) + Counter([c])).items():
            total[deep] += n * m
    return total


def depth(colour):
    return 1 + max(map(depth, inside[colour]), default=0)


def tree(colour, n=1, indent=0):
    yield f"{'':{indent}}{n} {colour}"
    for c, m in inside[colour].most_common():
        yield from tree(c, m, indent + 2)


assert len(inside) == 9
assert holders("shiny gold") == {"bright white", "muted yellow", "dark orange", "light red"}
assert size("shiny gold") == 32 and size("faded blue") == 0
assert flatten("shiny gold").total() == 32
assert flatten("shiny gold") == {"dark olive": 1, "vibrant plum": 2, "faded blue": 13, "dotted black": 16}
assert flatten("light red")["faded blue"] == 1 * 13 + 2 * 9 + 4 * 13
assert max(inside, key=size) == "dark orange" and depth("dark orange") == 5
assert {c for c, held in inside.items() if not held} == {"faded blue", "dotted black"}
lines = list(tree("shiny gold"))
assert lines[1] == "  2 vibrant plum" and len(lines) == 7
print(*lines, sep="\n")
pprint(flatten("light red"), width=40)
assert pformat({"b": 1, "a": [2]}) == "{'a': [2], 'b': 1}"
