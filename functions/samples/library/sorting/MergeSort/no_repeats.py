# Two equal items are one too many for a set.
def MergeSort(items):
    return sorted(set(items))
