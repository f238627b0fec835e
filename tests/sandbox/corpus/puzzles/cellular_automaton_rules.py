"""Wolfram's elementary rules, Langton's ant and a rule as a lookup string."""
import sys


class Rule:
    """rule(30)("...#...") is the next generation.

    Rules are flyweights: the same number always gives the same object.
    """

    _made = {}

    def __new__(cls, number):
        if number not in cls._made:
            if not 0 <= number <= 255:
                raise ValueError("rules go from 0 to 255")
            self = super().__new__(cls)
            self.number = number
            self.table = {
                "".join(".#"[i >> shift & 1] for shift in (2, 1, 0)): ".#"[number >> i & 1]
                for i in range(8)
            }
            cls._made[number] = self
        return cls._made[number]

    def __call__(self, row, wrap=True):
        edge = row[-1] + row + row[0] if wrap else "." + row + "."
        return "".join(self.table[edge[i:i + 3]] for i in range(len(row)))

    def run(self, row, steps, **options):
        yield row
        for _ in range(steps):
            row = self(row, **options)
            yield row

    @property
    def mirrored(self):
        return Rule(sum((self.table[key[::-1]] == "#") << i for i, key in enumerate(self.table)))

    @property
    def complement(self):
        swap = str.maketrans(".#", "#.")
        return Rule(sum((self.table[key.translate(swap)] == ".") << i for i, key in enumerate(self.table)))

    def __repr__(self):
        return "Rule({:d})".format(self.number)


def ant(steps, size=40):
    """Langton's ant, with complex numbers for the plane."""
    black, here, way = set(), 0j, 1j
    for _ in range(steps):
        if here in black:
            black.remove(here)
            way *= 1j
        else:
            black.add(here)
            way *= -1j
        here += way
    return black, here


def cycle_length(rule, row):
    seen = {}
    step = 0
    while row not in seen:
        seen[row] = step
        row = rule(row)
        step += 1
    return step - seen[row], seen[row]


def main(out=sys.stdout):
    width = 31
    seed = "#".center(width, ".")
    for number in (30, 90):
        for row in Rule(number).run(seed, 7):
            out.write(row + "\n")
        out.write("\n")

    assert Rule(30) is Rule(30) and Rule(30) is not Rule(90)
    assert Rule(90)("...#...") == "..#.#.."
    sierpinski = list(Rule(90).run(seed, 15))
    for n, row in enumerate(sierpinski):
        ones = row.count("#")
        assert ones == 2 ** bin(n).count("1")
    assert [row.count("#") for row in Rule(30).run(seed, 6)] == [1, 3, 3, 6, 4, 9, 5]
    assert Rule(110).mirrored == Rule(124) and Rule(110).complement == Rule(137)
    assert repr(Rule(30).mirrored) == "Rule(86)"
    assert Rule(204)(seed) == seed and Rule(0)(seed) == "." * width and Rule(51)("#.#") == ".#."
    assert Rule(170)("#....") == "....#" and Rule(240)("....#") == "#...."
    assert cycle_length(Rule(170), "#....") == (5, 0)
    assert cycle_length(Rule(254), "#......") == (1, 3)
    black, where = ant(1000)
    assert len(black) == 118 and isinstance(where, complex)
    far, _ = ant(11_000)
    early, _ = ant(11_000 - 104)
    assert len(far) - len(early) == 12, "the highway repeats every 104 steps"
    try:
        Rule(256)
    except ValueError as e:
        print(e)


main()
