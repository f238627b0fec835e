# The definition, word for word, with a memory. Long texts need a deep stack.
from functools import cache


def Levenshtein(a, b):
    @cache
    def cost(i, j):
        if i == 0 or j == 0:
            return i + j
        return min(
            cost(i - 1, j) + 1,
            cost(i, j - 1) + 1,
            cost(i - 1, j - 1) + (a[i - 1] != b[j - 1]),
        )

    return cost(len(a), len(b))
