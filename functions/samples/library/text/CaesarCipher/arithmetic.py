# <<Remainder>> goes round the end of the alphabet, and round its beginning.
# <<Add>> moves.
def CaesarCipher(text, shift):
    return "".join(_moved(char, shift) for char in text)


def _moved(char, shift):
    if not (char.isascii() and char.isalpha()):
        return char
    first = ord("A") if char.isupper() else ord("a")
    place = Remainder(Add(ord(char) - first, shift), 26)
    return chr(first + place)
