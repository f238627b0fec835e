pairs = [(3, 11), (-4, 9), (10**20, -1)]
for a, b in pairs:
    log(f"{a} + {b} = {Add(a, b)}")
    check(Add(a, b) == Add(b, a), f"{a} and {b} don't commute")
