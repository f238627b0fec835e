# Cut the alphabet at the <<Remainder>> of the shift and swap the halves.
import string


def CaesarCipher(text, shift):
    cut = Remainder(shift, 26)
    lower = string.ascii_lowercase
    moved = lower[cut:] + lower[:cut]
    table = str.maketrans(lower + lower.upper(), moved + moved.upper())
    return text.translate(table)
