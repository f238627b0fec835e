# <<Halve>> the length, sort both parts, let <<MergeSorted>> do the rest.
def MergeSort(items):
    if len(items) < 2:
        return list(items)
    middle = Halve(len(items))
    return MergeSorted(MergeSort(items[:middle]), MergeSort(items[middle:]))
