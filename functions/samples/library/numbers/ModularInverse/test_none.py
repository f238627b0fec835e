def test_no_inverse():
    for a, modulus in ((6, 9), (0, 5), (2, 0)):
        try:
            ModularInverse(a, modulus)
        except ValueError:
            continue
        check(False, f"{a} has no inverse modulo {modulus}")
