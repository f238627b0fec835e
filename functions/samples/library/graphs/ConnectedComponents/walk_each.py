# Make every arrow go both ways, then <<ReachableFrom>> a place not seen yet
# is one island. <<MergeSort>> puts things in order.
def ConnectedComponents(graph):
    both_ways = {}
    for place, others in graph.items():
        both_ways.setdefault(place, [])
        for other in others:
            both_ways[place].append(other)
            both_ways.setdefault(other, []).append(place)
    islands = []
    seen = set()
    for place in MergeSort(list(both_ways)):
        if place not in seen:
            island = ReachableFrom(both_ways, place)
            seen.update(island)
            islands.append(MergeSort(island))
    return islands
