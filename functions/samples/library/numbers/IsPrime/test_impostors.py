# Carmichael numbers and pseudoprimes to the base 2.
for n in (341, 561, 1105, 1729, 2465, 6601, 8911, 3_581_761):
    assert not IsPrime(n), f"{n} is an impostor"
