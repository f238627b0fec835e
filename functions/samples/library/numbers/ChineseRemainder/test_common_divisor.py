def test_common_divisor():
    try:
        ChineseRemainder([1, 2], [6, 9])
    except ValueError:
        return
    check(False, "6 and 9 have the divisor 3 in common")


def test_a_remainder_too_many():
    try:
        ChineseRemainder([1, 2, 0], [3, 5])
    except ValueError:
        return
    check(False, "the third remainder has no modulus")
