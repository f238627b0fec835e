from itertools import groupby


def RunLengthEncode(text):
    return [(char, len(list(run))) for char, run in groupby(text)]
