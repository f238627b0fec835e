# Each of the two sequences is defined by the other one: see <<HofstadterMale>>.
# Neither works alone, so both are elected together, as one circle.
from functools import cache


@cache
def HofstadterFemale(n):
    if n < 0:
        raise ValueError("the sequence begins at place 0")
    return n - HofstadterMale(HofstadterFemale(n - 1)) if n else 1
