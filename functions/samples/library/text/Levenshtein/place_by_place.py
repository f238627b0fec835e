# One letter missing at the front, and everything is off by one.
def Levenshtein(a, b):
    differing = sum(x != y for x, y in zip(a, b))
    return differing + abs(len(a) - len(b))
