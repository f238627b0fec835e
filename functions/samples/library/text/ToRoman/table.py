VALUES = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
SYMBOLS = "M CM D CD C XC L XL X IX V IV I".split()


def ToRoman(n):
    if not 1 <= n <= 3999:
        raise ValueError("Roman numerals go from 1 to 3999")
    text = ""
    for value, symbol in zip(VALUES, SYMBOLS):
        while n >= value:
            text += symbol
            n -= value
    return text
