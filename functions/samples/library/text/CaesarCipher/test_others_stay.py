assert CaesarCipher("1 + 1, né?", 13) == "1 + 1, aé?"
assert CaesarCipher("", 5) == ""
