# Short, but it eats the lists that it was given.
def MergeSorted(a, b):
    merged = []
    while a and b:
        merged.append(b.pop(0) if b[0] < a[0] else a.pop(0))
    return merged + a + b
