# A list that is sorted already is its worst case, and the deepest.
def QuickSort(items):
    if not items:
        return []
    pivot, rest = items[0], items[1:]
    smaller = [item for item in rest if item < pivot]
    others = [item for item in rest if not item < pivot]
    return [*QuickSort(smaller), pivot, *QuickSort(others)]
