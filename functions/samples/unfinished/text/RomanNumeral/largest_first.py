VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}


def RomanNumeral(n):
    if not 1 <= n <= 3999:
        raise ValueError(f"{n} has no Roman numeral")
    letters = []
    for letter, value in VALUES.items():
        letters.append(letter * (n // value))
        n %= value
    return "".join(letters)
