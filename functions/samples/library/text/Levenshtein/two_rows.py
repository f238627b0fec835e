# Row by row: what does it cost to turn a's beginning into b's beginnings?
# Only the row above is ever needed. Uses <<Add>>.
def Levenshtein(a, b):
    above = list(range(len(b) + 1))
    for row, char in enumerate(a, start=1):
        costs = [row]
        for column, other in enumerate(b, start=1):
            replaced = Add(above[column - 1], char != other)
            costs.append(min(replaced, above[column] + 1, costs[-1] + 1))
        above = costs
    return above[-1]
