# Everything before low is smaller, everything from high on isn't.
# Uses <<Add>> and <<Halve>>.
def BinarySearch(items, wanted):
    low, high = 0, len(items)
    while low < high:
        middle = Halve(Add(low, high))
        if items[middle] < wanted:
            low = Add(middle, 1)
        else:
            high = middle
    if low < len(items) and items[low] == wanted:
        return low
    return -1
