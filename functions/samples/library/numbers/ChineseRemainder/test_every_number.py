for n in range(4 * 9 * 5):
    assert ChineseRemainder([n % 4, n % 9, n % 5], [4, 9, 5]) == n
