def test_refusals():
    for exponent, modulus in ((-1, 7), (2, 0)):
        try:
            PowerMod(3, exponent, modulus)
        except ValueError:
            continue
        check(False, f"exponent {exponent}, modulus {modulus} was accepted")
