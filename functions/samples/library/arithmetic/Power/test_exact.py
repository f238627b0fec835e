# Multiplying as one goes, without a float in sight.
expected = 1
for _ in range(100):
    expected *= 3
log(f"three to the hundredth is {expected}")
assert Power(3, 100) == expected
