# Turns code points round, so an accent lands on the neighbour.
def ReverseText(text):
    return text[::-1]
