# The other half of the definition is <<HofstadterFemale>>.
from functools import cache


@cache
def HofstadterMale(n):
    if n < 0:
        raise ValueError("the sequence begins at place 0")
    return n - HofstadterFemale(HofstadterMale(n - 1)) if n else 0
