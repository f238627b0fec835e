assert CaesarCipher("xyz XYZ", 3) == "abc ABC"
assert CaesarCipher("abc", -1) == "zab"
