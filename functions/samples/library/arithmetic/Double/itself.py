# <<Add>> is all that it takes.
def Double(a):
    return Add(a, a)
