# Right for every proper numeral; VX becomes 5 without a murmur.
VALUE_OF = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def FromRoman(text):
    values = [VALUE_OF[symbol] for symbol in text.upper()]
    total = 0
    for value, following in zip(values, [*values[1:], 0]):
        total += value if value >= following else -value
    return total
