# <<MergeSort>> by cost, and by place among equal costs. A road helps if its
# ends have different leaders, that is, if they don't hang together yet.
def SpanningTree(roads):
    leader = {}

    def leader_of(town):
        while leader.setdefault(town, town) != town:
            town = leader[town]
        return town

    chosen = []
    ranked = [(road[0], place) for place, road in enumerate(roads)]
    for _, place in MergeSort(ranked):
        one, other = (leader_of(town) for town in roads[place][1:])
        if one != other:
            leader[one] = other
            chosen.append(roads[place])
    return chosen
