assert Halve(10**30 + 2) == 5 * 10**29 + 1
