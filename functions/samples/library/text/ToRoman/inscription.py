# Seven symbols, none before a larger one. Found on clocks, too.
def ToRoman(n):
    if not 1 <= n <= 3999:
        raise ValueError("Roman numerals go from 1 to 3999")
    text = ""
    for value, symbol in zip((1000, 500, 100, 50, 10, 5, 1), "MDCLXVI"):
        count, n = divmod(n, value)
        text += symbol * count
    return text
