# <<Remainder>> gives the last digit, <<Divide>> drops it.
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def ToBase(n, base):
    if not 2 <= base <= 36:
        raise ValueError("the base must be from 2 to 36")
    digits = []
    rest = abs(n)
    while rest:
        digits.append(DIGITS[Remainder(rest, base)])
        rest = Divide(rest, base)
    sign = "-" if n < 0 else ""
    return sign + "".join(reversed(digits or ["0"]))
