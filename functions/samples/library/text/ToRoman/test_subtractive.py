assert ToRoman(4) == "IV"
assert ToRoman(9) == "IX"
assert ToRoman(44) == "XLIV"
assert ToRoman(499) == "CDXCIX"
