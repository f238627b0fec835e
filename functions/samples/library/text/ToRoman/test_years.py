assert ToRoman(1888) == "MDCCCLXXXVIII"
assert ToRoman(1994) == "MCMXCIV"
assert ToRoman(3999) == "MMMCMXCIX"
