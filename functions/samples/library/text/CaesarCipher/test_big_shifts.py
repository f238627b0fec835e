assert CaesarCipher("abc", 26) == "abc"
assert CaesarCipher("abc", 27) == "bcd"
assert CaesarCipher("abc", -53) == "zab"
