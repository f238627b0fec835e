# Start at or above the root and average down: <<Halve>> of <<Add>> of guess
# and <<Divide>>. The first guess that doesn't get smaller is the root.
def SquareRoot(n):
    if n < 0:
        raise ValueError("negative numbers have no square root here")
    if n == 0:
        return 0
    guess = 1 << Halve(n.bit_length() + 1)
    while True:
        better = Halve(Add(guess, Divide(n, guess)))
        if better >= guess:
            return guess
        guess = better
