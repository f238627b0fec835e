# After z comes {.
def CaesarCipher(text, shift):
    return "".join(chr(ord(c) + shift) if c.isalpha() else c for c in text)
