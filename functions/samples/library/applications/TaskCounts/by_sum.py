def TaskCounts(tasks):
    done = sum(bool(task["value"].get("done")) for task in tasks)
    return {"open": len(tasks) - done, "done": done}
