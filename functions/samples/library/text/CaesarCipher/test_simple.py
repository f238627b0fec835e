assert CaesarCipher("Cab", 3) == "Fde"
