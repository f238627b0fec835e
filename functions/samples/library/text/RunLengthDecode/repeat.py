def RunLengthDecode(runs):
    if any(count < 0 for _, count in runs):
        raise ValueError("a run can't be shorter than nothing")
    return "".join(char * count for char, count in runs)
