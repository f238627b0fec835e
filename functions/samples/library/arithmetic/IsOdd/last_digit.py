# What a child does, and no worse for it.
def IsOdd(a):
    return str(a)[-1] in "13579"
