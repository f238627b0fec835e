assert FromRoman("XIV") == 14
assert FromRoman("MCMXCIV") == 1994
assert FromRoman("MMXXVI") == 2026
assert FromRoman("MMMCMXCIX") == 3999
