from bisect import bisect_left


def BinarySearch(items, wanted):
    place = bisect_left(items, wanted)
    return place if items[place : place + 1] == [wanted] else -1
