# Grey is what one is in the middle of; meeting grey again is a circle.
def HasCycle(graph):
    colour = {}

    def returns(place):
        if place in colour:
            return colour[place] == "grey"
        colour[place] = "grey"
        found = any(returns(other) for other in graph.get(place, ()))
        colour[place] = "black"
        return found

    return any(returns(place) for place in list(graph))
