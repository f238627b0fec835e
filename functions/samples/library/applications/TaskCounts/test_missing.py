assert TaskCounts([{"value": {"text": "tea"}}]) == {"open": 1, "done": 0}
