a, b = 1, 1
for _ in range(80):
    a, b = b, a + b
log(f"{a} and {b}")
assert Gcd(a, b) == 1
assert Gcd(6 * a, 6 * b) == 6
