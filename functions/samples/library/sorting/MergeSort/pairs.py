# No recursion: <<MergeSorted>> neighbouring runs until one is left.
def MergeSort(items):
    runs = [[item] for item in items]
    while len(runs) > 1:
        last = [runs.pop()] if len(runs) % 2 else []
        pairs = zip(runs[::2], runs[1::2])
        runs = [MergeSorted(a, b) for a, b in pairs] + last
    return runs[0] if runs else []
