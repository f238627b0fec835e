# A symbol before a larger one counts negative. Whether the text was proper
# is seen by writing the sum again with <<ToRoman>>. Uses <<Add>>.
VALUE_OF = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def FromRoman(text):
    numeral = text.upper()
    total = 0
    largest = 0
    for symbol in reversed(numeral):
        value = VALUE_OF.get(symbol, 0)
        total = Add(total, value if value >= largest else -value)
        largest = max(largest, value)
    if not 1 <= total <= 3999 or ToRoman(total) != numeral:
        raise ValueError(f"{text!r} is no Roman numeral")
    return total
