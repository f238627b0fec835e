# The smaller front item goes next; on a tie, the one from a.
def MergeSorted(a, b):
    merged = []
    i = j = 0
    while i < len(a) and j < len(b):
        if b[j] < a[i]:
            merged.append(b[j])
            j += 1
        else:
            merged.append(a[i])
            i += 1
    return merged + a[i:] + b[j:]
