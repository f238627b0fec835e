# The lowest 64-bit integer has no positive twin of 64 bits.
for n in (1, -17, -(2**63), 10**30):
    assert Negate(Negate(n)) == n
