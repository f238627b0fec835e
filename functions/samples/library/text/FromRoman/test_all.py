# Written by <<ToRoman>>.
for n in range(1, 4000, 7):
    assert FromRoman(ToRoman(n)) == n
