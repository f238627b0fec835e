def test_no_inverse():
    for a, modulus in ((6, 9), (0, 5), (1, 0), (2, -5)):
        try:
            ModularInverse(a, modulus)
        except ValueError:
            continue
        check(False, f"{a} has no inverse modulo {modulus}")
