def MostCommon(items):
    return max(sorted(set(items)), key=items.count)
