# The middle item as the pivot makes light of sorted lists, and a part of
# their own makes light of equal items. <<Halve>> finds the middle.
def QuickSort(items):
    if len(items) < 2:
        return list(items)
    pivot = items[Halve(len(items))]
    smaller = [item for item in items if item < pivot]
    equal = [item for item in items if not item < pivot and not pivot < item]
    larger = [item for item in items if pivot < item]
    return QuickSort(smaller) + equal + QuickSort(larger)
