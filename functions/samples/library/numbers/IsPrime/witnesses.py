# Below 3 x 10^18 these bases leave no composite number undetected.
# Uses <<PowerMod>>, <<Square>>, <<Remainder>>, <<Halve>> and <<IsOdd>>.
WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23)


def _exposes(witness, n):
    """Does this base show that n is composite?"""
    odd_part, twos = n - 1, 0
    while not IsOdd(odd_part):
        odd_part = Halve(odd_part)
        twos += 1
    x = PowerMod(witness, odd_part, n)
    if x in (1, n - 1):
        return False
    for _ in range(twos - 1):
        x = Remainder(Square(x), n)
        if x == n - 1:
            return False
    return True


def IsPrime(n):
    if n < 2:
        return False
    for prime in WITNESSES:
        if n == prime:
            return True
        if Remainder(n, prime) == 0:
            return False
    return not any(_exposes(witness, n) for witness in WITNESSES)
