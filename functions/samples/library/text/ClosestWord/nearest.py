# <<Levenshtein>> measures; min() keeps the first of equals.
def ClosestWord(word, candidates):
    if not candidates:
        raise ValueError("there is nothing to choose from")
    return min(
        candidates,
        key=lambda candidate: Levenshtein(
            word.casefold(), candidate.casefold()
        ),
    )
