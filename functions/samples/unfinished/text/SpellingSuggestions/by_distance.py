# Uses <<EditDistance>>, which is still to be written.


def SpellingSuggestions(word, vocabulary):
    distances = {each: EditDistance(word, each) for each in vocabulary}
    near = [each for each, distance in distances.items() if distance <= 2]
    return sorted(near, key=lambda each: (distances[each], each))
