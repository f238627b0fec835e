text = "The quick brown fox jumps over the lazy dog."
for shift in range(-30, 31):
    secret = CaesarCipher(text, shift)
    assert CaesarCipher(secret, -shift) == text
log(f"by thirty: {secret}")
