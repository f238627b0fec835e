perfect = [n for n in range(2, 500) if sum(Divisors(n)) == 2 * n]
log(f"perfect: {perfect}")
assert perfect == [6, 28, 496]
