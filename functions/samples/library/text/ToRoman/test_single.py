for n, text in zip((1, 5, 10, 50, 100, 500, 1000), "IVXLCDM"):
    assert ToRoman(n) == text
