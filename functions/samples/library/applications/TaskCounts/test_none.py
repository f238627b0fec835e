assert TaskCounts([]) == {"open": 0, "done": 0}
