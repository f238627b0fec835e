# <<MergeSort>> leaves the argument alone. Uses <<Halve>> and <<IsOdd>>.
def Median(numbers):
    if not numbers:
        raise ValueError("an empty list has no middle")
    ordered = MergeSort(numbers)
    middle = Halve(len(ordered))
    if IsOdd(len(ordered)):
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
