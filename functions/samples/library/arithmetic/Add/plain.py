# The ground floor: everything above is built from this one line.
def Add(a, b):
    return a + b
