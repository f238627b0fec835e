# <<TopologicalSort>> refuses exactly the graphs with a circle.
def HasCycle(graph):
    try:
        TopologicalSort(graph)
    except ValueError:
        return True
    return False
